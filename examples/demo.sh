#!/bin/sh
# Indexes a copy of the handbook, searches it, edits a sentence, and shows what became of a citation.
# usage: examples/demo.sh FOLDER    with `seamline` and its `python` on the PATH
set -eu

cd "$(dirname "$0")"
handbook=$PWD/handbook
cd "$OLDPWD"
rm -rf "$1"
mkdir -p "$1"
cd "$1"
cp -R "$handbook" handbook

run() {
  printf '\n$ %s\n' "$1"
  eval "$1"
}

run 'seamline index handbook'
run 'seamline search "why did the 429 retry fail" -k 2'
run 'seamline index handbook'

key=$(seamline search "an answer within ten seconds" -k 1 --json | python -c '
import json, sys
cited = json.load(sys.stdin)["hits"][0]["citations"][0]
print(cited["id"], cited["version"], sep="@")')

run "seamline cite $key"
run 'sed "s/ten seconds/twenty seconds/" handbook/webhooks.md > new.md && mv new.md handbook/webhooks.md'
run 'seamline index handbook'
run "seamline cite $key"
