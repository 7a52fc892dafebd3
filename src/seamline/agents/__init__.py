"""An index as agents use it, by the Model Context Protocol: `calls` says which tools there are, `tools` what they
answer, `replies` how answers are fenced and kept short; `server` speaks the protocol, `clients` writes configurations.
"""
