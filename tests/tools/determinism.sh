#!/usr/bin/env bash
# determinism.sh BINARY BINARY…: the run folders of all binaries must be byte-identical, for several scenarios; and those of
# the first on a processor without fused multiply-add, as glibc's mathematics take other paths there.
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
    i=$((i + 1))
    out=$tmp/$name-$i
    GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2,-FMA_Usable,-AVX2_Usable "${binaries[0]}" run "$@" --set output.events=true --out "$out" --quiet
    diff -rq "$first" "$out" || failed=1
    echo "$name: $(cat "$first"/* | sha256sum | cut -c 1-16), $((i - 1)) binaries and one processor less able"
}

part=(--set thresholds=[] --set trace.from=0 --set trace.to=10d)
compare fifo scenarios/quickstart.json "${part[@]}" --set 'scheduler={"preset": "fifo", "placement": "pack"}'
compare random scenarios/quickstart.json "${part[@]}" --set 'scheduler={"preset": "composed", "order": "smallest", "queueing": "best-effort", "placement": "random"}'
compare easy scenarios/quickstart.json "${part[@]}" --set 'scheduler={"preset": "composed", "backfill": "easy", "placement": "spread"}'
compare conservative scenarios/small-cluster-easy.json "${part[@]}" --set 'scheduler={"preset": "composed", "order": "sjf", "backfill": "conservative"}'
compare capacity scenarios/what-if-delivery.json "${part[@]}"
compare network scenarios/quickstart.json "${part[@]}" --set 'network={"fidelity": "fluid"}' \
    --set 'cluster={"nodes": [{"name": "n", "count": 32, "hardware": "dgx-a100"}], "fabric": {"type": "fat-tree", "nic": "ib-hdr", "nodes_per_leaf": 4, "oversubscription": 4}}' \
    --set 'workloads=[{"match": {"gpus": ">8"}, "profile": {"compute_s": 0.13, "allreduce_gb": 3.7, "overlap_gamma": 2.5}}]'
[ $failed = 0 ] || { echo "the run folders differ"; exit 1; }
