"""The page on which people see what a recipe makes of a document, and why: pure views, and a few routes around them."""
