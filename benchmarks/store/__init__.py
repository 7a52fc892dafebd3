"""How fast, how right and how large is the embedded store, beside LanceDB used directly?"""
