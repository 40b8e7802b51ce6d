# Shared by the tests of the command line: sourced, with the binary as $1. Every test works in a folder of its own.
# shellcheck shell=bash
set -u
gpuyard=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034 # for tests
shared=$root/../shared/data
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failures=0
checks=0
status=0

# run ARGS…: the binary with its output in ./out and ./err.
run() {
    "$gpuyard" "$@" >out 2>err </dev/null
    status=$?
    last="gpuyard $*"
}

fail() {
    failures=$((failures + 1))
    printf 'FAIL: %s\n' "$1"
    printf '  after: %s (exit status %s)\n' "$last" "$status"
    sed 's/^/  out: /' out | head -n 12
    sed 's/^/  err: /' err | head -n 12
    if [ "$failures" -ge 8 ]; then
        echo "enough failures; the rest was not run"
        exit 1
    fi
}

ok() { # command…: must succeed
    checks=$((checks + 1))
    "$@" || fail "expected: $*"
}

is_status() { ok test "$status" -eq "$1"; }
says() { ok grep -Eq -- "$1" err; }   # on standard error
prints() { ok grep -Eq -- "$1" out; } # on standard output
equal() { # what, found, expected
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1 is \"$2\", expected \"$3\""
}

# column FILE JOB NAME: a field of jobs.csv by the job's id.
column() {
    awk -F, -v id="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } $1 == id { print $c }' "$1"
}

# cluster_trace CLUSTER SCHEDULER: a scenario s.json on the trace t.csv.
scenario() {
    printf '{"cluster": {"nodes": [%s]}, "trace": {"path": "t.csv"}, "scheduler": {%s}}\n' "$1" "$2" >s.json
}

# refused WHAT…: the last run failed as wrong input, said every pattern, and left nothing.
refused() {
    is_status 2
    local pattern
    for pattern in "$@"; do says "$pattern"; done
    ok test ! -e o
    ok test ! -e o.partial
    ok test ! -s out
    rm -rf o
}

finish() {
    if [ "$failures" -gt 0 ]; then
        echo "$failures of $checks checks failed"
        exit 1
    fi
    echo "$checks checks passed"
    exit 0
}
