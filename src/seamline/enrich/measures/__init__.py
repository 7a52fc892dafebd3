"""What can be said of a chunk in one word or one number, each in a file of its own."""
