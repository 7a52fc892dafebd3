"""`seamline serve`: indexes over HTTP. `app` puts the parts together, `guard` stands around all of them."""
