#!/usr/bin/env bash
# determinism.sh BINARY BINARY…: the run folders of all binaries must be byte-identical, for several scenarios.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
binaries=()
for b in "$@"; do binaries+=("$(cd "$(dirname "$b")" && pwd)/$(basename "$b")"); done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$root"

failed=0
compare() { # name, arguments of run…
    local name=$1 first='' b out i=0
    shift
    for b in "${binaries[@]}"; do
        i=$((i + 1))
        out=$tmp/$name-$i
        "$b" run "$@" --set output.events=true --out "$out" --quiet
        if [ -z "$first" ]; then
            first=$out
        elif ! diff -rq "$first" "$out"; then
            failed=1
        fi
    done
    echo "$name: $(cat "$first"/* | sha256sum | cut -c 1-16), $i binaries"
}

part=(--set thresholds=[] --set trace.from=0 --set trace.to=10d)
compare fifo scenarios/quickstart.json "${part[@]}" --set 'scheduler={"preset": "fifo", "placement": "pack"}'
compare random scenarios/quickstart.json "${part[@]}" --set 'scheduler={"preset": "composed", "order": "smallest", "queueing": "best-effort", "placement": "random"}'
compare easy scenarios/quickstart.json "${part[@]}" --set 'scheduler={"preset": "composed", "backfill": "easy", "placement": "spread"}'
compare conservative scenarios/small-cluster-easy.json "${part[@]}" --set 'scheduler={"preset": "composed", "order": "sjf", "backfill": "conservative"}'
compare capacity scenarios/what-if-delivery.json "${part[@]}"
[ $failed = 0 ] || { echo "the run folders differ"; exit 1; }
