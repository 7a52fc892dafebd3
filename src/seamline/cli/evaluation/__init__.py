"""Commands that measure: how well chunks are found, and which recipe finds best."""
