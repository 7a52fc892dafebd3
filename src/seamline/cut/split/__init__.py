"""Blocks that exceed the budget, split by the rule of their kind."""
