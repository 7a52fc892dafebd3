"""For tests of plugins and of Seamline itself: what parsers, embedders and stores must hold to, and Hypothesis
strategies that make documents and recipes."""
