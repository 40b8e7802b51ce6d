#!/usr/bin/env bash
# The shell of scenarios/ci, run as a CI service would run it: the exit status and the summary of the job.
. "$(dirname "$0")/lib.sh"
mkdir bin
ln -s "$gpuyard" bin/gpuyard
PATH=$tmp/bin:$PATH
steps() { # prints the shell of action.yml's steps
    awk '/run: \|/ { on = 1; next } on && /^        / { print substr($0, 9); next } { on = 0 }' "$root/scenarios/ci/action.yml"
}
printf 'job_id,submit_s,duration_s,gpus\na,0,100,8\nb,0,100,8\n' >t.csv
action() { # threshold
    printf '{"cluster": {"nodes": [{"name": "n", "gpus": 8}]}, "trace": {"path": "t.csv"}, "thresholds": [{"metric": "makespan_s", "max": %s}]}\n' "$1" >s.json
    last="the action with makespan_s at most $1"
    gate s.json ''
}
gate() { # scenario, baseline
    rm -rf run run.md run-junit.xml step0*
    steps >action.sh
    csplit -s -f step action.sh '/^status=0$/' '{1}'
    : >summary.md
    status=0
    for s in step01 step02; do
        SCENARIO=$1 BASELINE=$2 OUT=run GITHUB_STEP_SUMMARY=summary.md bash -e -o pipefail "$s" >out 2>err || { status=$?; break; }
    done
}
action 200
is_status 0
ok grep -q makespan_s summary.md
action 150
is_status 1
ok grep -q makespan_s summary.md
ok test -s run-junit.xml
action '"x"'
is_status 2

# Our own gate: the sample scenarios against their thresholds, the quickstart against its baseline too.
for s in "$root"/scenarios/*.json; do
    last="the action on ${s##*/}"
    baseline=$root/scenarios/ci/$(basename "$s" .json)-baseline.json
    [ -e "$baseline" ] || baseline=
    gate "$s" "$baseline"
    is_status 0
done
last="the action on the quickstart with two nodes less"
sed 's/01-32/01-30/; s|"\.\./|"'"$root"'/|' "$root/scenarios/quickstart.json" >less.json
ok grep -q 01-30 less.json
gate less.json "$root/scenarios/ci/quickstart-baseline.json"
is_status 1
ok grep -q '| wait_s.p95 | 1621.5 .*FAILED' summary.md
finish
