"""Questions a person would ask about the documentation corpus, with the passages that answer them."""
