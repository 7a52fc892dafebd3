"""Configuration as a value: recipes, presets, TOML files, and the choice of a strategy for a document."""
