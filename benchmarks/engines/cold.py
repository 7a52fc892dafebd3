"""A search in a fresh process: import, open, one question; prints a line of JSON with CPU seconds."""

import json
import sys

kind, *arguments = sys.argv[1:]
if kind == "words":
    from benchmarks.engines.words import cold
else:
    from benchmarks.engines.vectors import cold
print(json.dumps(cold(*arguments)))
