#!/usr/bin/env bash
# Verbs, options, help, and what is said when they are wrong.
. "$(dirname "$0")/lib.sh"

run --version
is_status 0
prints '^gpuyard [0-9]+\.[0-9]+\.[0-9]+$'
equal "standard error" "$(cat err)" ""

for h in --help -h help; do
    run "$h"
    is_status 0
    prints '^Usage: gpuyard VERB'
    prints '^  run SCENARIO.json'
done

run help run
is_status 0
prints '--set=POINTER=VALUE'
run run --help
is_status 0
prints '--progress=WHEN'
run help trace
is_status 0
prints 'gpuyard trace info'
run help policies show
is_status 0

run
is_status 2
says '^Usage: gpuyard'
run rnu s.json
is_status 2
says 'unknown verb "rnu"; did you mean "run"\?'
run policies lits
is_status 2
says 'did you mean "policies list"'
run policies
is_status 2
says 'needs one more word'
run frobnicate
is_status 2
says 'gpuyard help'
run --json run s.json
is_status 2
says 'expected a verb before'

run run
is_status 2
says 'expected SCENARIO.json'
run run a.json b.json
is_status 2
says '"b.json" is one argument too many'
run run --sead 4 a.json
is_status 2
says 'unknown option "--sead"; did you mean "--seed"'
run run --jso a.json
is_status 2
says 'a.json: no such file' # an unmistakable beginning is enough
run run --seed
is_status 2
says 'option "--seed" needs a value'
run run --seed x a.json
is_status 2
says 'whole number'
run run --seed -1 a.json
is_status 2
run run --json=1 a.json
is_status 2
says 'takes no value'
run run --progress allways a.json
is_status 2
says 'did you mean "always"'
run run --set seed a.json
is_status 2
says 'POINTER=VALUE'
run run -x a.json
is_status 2
says 'unknown option "-x"'

run policies list
is_status 0
prints '^fifo '
run policies list --json
is_status 0
prints '"name": "fifo"'
run policies show composed
is_status 0
prints 'placement'
run policies show compsed
is_status 2
says 'did you mean "composed"'
run schema scenario
is_status 0
prints 'json-schema.org/draft-07'
run schema scenaro
is_status 2
says 'did you mean "scenario"'
run schema scenario --keys
is_status 0
prints 'cluster.nodes\[\].gpus'

if [ -w /dev/full ]; then
    checks=$((checks + 1))
    "$gpuyard" policies list >/dev/full 2>err
    status=$?
    is_status 3
    says 'cannot write'
    "$gpuyard" --version >/dev/full 2>err
    status=$?
    is_status 3
fi
finish
