"""Spreadsheets: each sheet a section, with its tables."""
