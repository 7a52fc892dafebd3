"""Finished chunks checked against the contract."""
