#!/usr/bin/env bash
# callgrind.sh BINARY [--update]: instructions of one small replay, against the stored count for this compiler (+5 %).
# Counts are exact and repeatable for one compiler and C library; for another one there is nothing to compare with.
set -euo pipefail
cd "$(dirname "$0")/../.."
binary=$1
stored=tests/bench/callgrind.txt
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[^=]*=//p' "$(dirname "$binary")/CMakeCache.txt")
key="$($compiler -dumpversion | cut -d. -f1)-$(basename "$(readlink -f "$compiler")" | sed 's/.*\(gcc\|clang\).*/\1/')-$(uname -m)"

count=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$binary" run scenarios/quickstart.json \
    --set trace.from=0 --set trace.to=5d --set thresholds=[] --quiet 2>&1 | sed -n 's/.*Collected : //p' | tr -d ' ')
[ -n "$count" ] || { echo "callgrind counted nothing"; exit 1; }

if [ "${2-}" = --update ]; then
    { grep -v "^$key " "$stored" 2>/dev/null || true; echo "$key $count"; } | sort >"$stored.new"
    mv "$stored.new" "$stored"
    echo "$key: $count instructions, stored"
    exit 0
fi
before=$(sed -n "s/^$key //p" "$stored")
if [ -z "$before" ]; then
    echo "SKIP: $key: $count instructions; none stored for this compiler (tests/tools/callgrind.sh $binary --update)"
    exit 0
fi
awk -v now="$count" -v before="$before" -v key="$key" 'BEGIN {
    printf "%s: %d instructions, %+.2f %% against the stored %d\n", key, now, 100 * (now / before - 1), before
    if (now > 1.05 * before) { print "more than 5 % above: find out why, or store it with --update and a reason"; exit 1 }
}'
