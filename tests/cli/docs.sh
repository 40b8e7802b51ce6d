#!/usr/bin/env bash
# The documents say what the binary says: keys, verbs; and every shipped scenario runs.
. "$(dirname "$0")/lib.sh"
last="tests/tools/keys.sh --check"
: >out
ok bash "$root/tests/tools/keys.sh" "$gpuyard" --check >out 2>err
for s in "$root"/scenarios/*.json; do
    run validate "$s"
    is_status 0
    run run "$s" --set trace.to=3d --set stop.at=4d --set 'thresholds=[]' --out "$(basename "$s")"
    is_status 0
done
finish
