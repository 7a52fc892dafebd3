"""Source code cut by its scopes: what is kept whole, what parses, which imports come along, and what it costs."""
