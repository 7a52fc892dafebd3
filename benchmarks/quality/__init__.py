"""How good results are, on questions that nobody here wrote."""
