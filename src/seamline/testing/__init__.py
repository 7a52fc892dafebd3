"""For tests of Seamline and of plugins: Hypothesis strategies that make documents and recipes."""
