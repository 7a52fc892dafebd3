"""Engines for derived search structures, measured beside each other."""
