"""Articles and books in XML: JATS, as journals publish, and DocBook."""
