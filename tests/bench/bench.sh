#!/usr/bin/env bash
# bench.sh BUILD_FOLDER: how fast it is, as ratios and figures taken in one run. Not a test: nothing fails here.
# The engine's rows come from bench_engine; the rest is the whole process as a user runs it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
gpuyard=$build/gpuyard
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$root"

title() { printf '\n== %s\n' "$1"; }
# cpu COMMAND…: seconds of CPU and of wall clock, as "0.123 0.130". CPU time is what other work on the machine spoils least.
cpu() {
    local TIMEFORMAT='%U %S %R'
    { time "$@" >/dev/null 2>"$tmp/err"; } 2>"$tmp/time" || true
    awk '{ printf "%.3f %.3f", $1 + $2, $3 }' "$tmp/time"
}
times() { # how often, command…
    local n=$1
    shift
    for _ in $(seq "$n"); do "$@"; done
}
per_call() { # how often, command…: milliseconds of CPU a call
    cpu times "$@" | awk -v n="$1" '{ printf "%.2f", 1000 * $1 / n }'
}
# whole NAME ARGS…: one run of the whole process with the engine's share of it.
whole() {
    local name=$1
    shift
    printf '%-46s %s  %s\n' "$name" "$(cpu "$gpuyard" run "$@" --quiet --timing | awk '{ printf "%7.3f s CPU %7.3f s wall", $1, $2 }')" \
        "$(sed -n 's/^engine  *//p' "$tmp/err")"
}

title "engine"
"$build/tests/bench_engine" "${2:-1000000}"

title "flows (budget: 10,000 on the fat-tree in 1 s)"
"$build/tests/bench_flows" 16000

title "start-up, CPU (budget: 5 ms for --version, 50 ms for a run of 1,000 jobs)"
none=$(per_call 200 /bin/true)
version=$(per_call 200 "$gpuyard" --version)
"$gpuyard" trace generate --jobs 1000 --out "$tmp/1000.csv" --quiet
small=$(per_call 20 "$gpuyard" run scenarios/quickstart.json --trace "$tmp/1000.csv" --set 'thresholds=[]' --quiet --out "$tmp/o")
printf 'an empty program %s ms; gpuyard --version %s ms; a run of 1,000 jobs with its folder %s ms\n' "$none" "$version" "$small"

title "whole process: generated jobs on 10,000 GPUs, FIFO and pack, CSV in (budget: 10 million in 60 s)"
cluster='cluster={"nodes": [{"count": 1250, "gpus": 8}]}'
fifo='scheduler={"preset": "fifo", "placement": "pack"}'
for jobs in 1000000 2000000; do
    "$gpuyard" trace generate --jobs $jobs --load-gpus 10000 --load 0.8 --gpu-mix '1:8,2:4,4:2,8:2' --limit-ratio 0 --out "$tmp/t.csv" --quiet
    whole "$jobs jobs, summary only" scenarios/quickstart.json --trace "$tmp/t.csv" --set "$cluster" --set "$fifo" --set stop.at=null --set 'thresholds=[]'
    whole "$jobs jobs, run folder" scenarios/quickstart.json --trace "$tmp/t.csv" --set "$cluster" --set "$fifo" --set stop.at=null --set 'thresholds=[]' --out "$tmp/o"
done

data=$root/../shared/data/traces
if [ -f "$data/philly/philly_sia.csv.gz" ]; then
    title "published traces"
    for policy in '{"preset": "fifo"}' '{"preset": "composed", "backfill": "easy"}' '{"preset": "sjf"}'; do
        echo "{\"cluster\": {\"nodes_file\": \"$data/philly/revised_machine_list.csv\"}, \"trace\": {\"path\": \"$data/philly/philly_sia.csv.gz\", \"limit_factor\": 2}, \"scheduler\": $policy}" >"$tmp/s.json"
        whole "philly, $policy" "$tmp/s.json"
    done
else
    echo "SKIP: published traces are not beside the repository"
fi
