"""Speed: CPU time against peers, growth, and where the time goes."""
