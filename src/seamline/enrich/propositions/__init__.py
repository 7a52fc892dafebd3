"""Claims that can be read alone, each with the sentence it is from."""
