"""Markdown and MDX: blocks with exact source spans, and front matter."""
