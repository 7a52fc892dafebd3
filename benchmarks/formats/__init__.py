"""How well and how fast each format is read."""
