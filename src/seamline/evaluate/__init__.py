"""How well do chunks answer questions? Metrics, questions and comparisons; pure functions over spans and records."""
