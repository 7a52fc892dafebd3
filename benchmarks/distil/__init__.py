"""How the table of the embedder `static` is made from the bundled model, and how near to it it comes."""
