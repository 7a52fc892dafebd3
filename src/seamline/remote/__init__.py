"""Services over HTTP that speak the OpenAI protocol."""
