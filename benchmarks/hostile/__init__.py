"""Inputs made to harm whoever reads them, made from a seed, and a runner that gives each to the command line."""
