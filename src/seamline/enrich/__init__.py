"""What can be known about a chunk beside its text."""
