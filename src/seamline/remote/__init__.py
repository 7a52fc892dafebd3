"""Services over HTTP: those that speak the OpenAI protocol, and object stores."""
