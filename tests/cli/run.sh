#!/usr/bin/env bash
# gpuyard run: overrides, standard input, .gz, the run folder, thresholds, interruption, and a machine that fails.
. "$(dirname "$0")/lib.sh"

printf 'job_id,submit_s,duration_s,gpus,user,team\na,0,100,8,u,x\nb,1,50,4,v,y\nc,2,50,4,v,y\n' >t.csv
scenario '{"name": "n", "gpus": 8}' '"preset": "fifo"'
mkdir -p deep
cp s.json t.csv deep

# The run folder, and the same bytes twice.
run run s.json --out o
is_status 0
equal "files" "$(cd o && echo *)" "jobs.csv manifest.json summary.json timeline.csv"
equal "start of b" "$(column o/jobs.csv b start_s)" 100
run run s.json --out o2 --progress always
is_status 0
ok diff -r o o2
run run s.json --out o # an older run is replaced
is_status 0
mkdir other
echo mine >other/file
run run s.json --out other
is_status 2
says 'other'
equal "the file" "$(cat other/file)" mine

# Overrides; paths are relative to the file that names them, or to the working directory.
run run s.json --set /cluster/nodes/0/gpus=16 --out o3
is_status 0
equal "start of b" "$(column o3/jobs.csv b start_s)" 1
run run s.json --set cluster.nodes.0.count=2 --set cluster.nodes.0.name=m --out o4
equal "start of c" "$(column o4/jobs.csv c start_s)" 2
run run s.json --set 'scheduler={"preset": "sjf"}' --out o5
is_status 0
run run deep/s.json --out o6
is_status 0
rm deep/t.csv
run run deep/s.json --set trace.path=t.csv --out o7
is_status 0
run run deep/s.json --trace t.csv --seed 7 --out o8
is_status 0
ok grep -q '"seed": 7' o8/manifest.json
run run deep/s.json --out o9
is_status 2
says 'deep/t\.csv: .*no such file'

# Standard input, compressed input, output as JSON.
checks=$((checks + 1))
last="cat t.csv | gpuyard run s.json --trace -"
"$gpuyard" run s.json --trace - --json >out 2>err <t.csv
status=$?
is_status 0
prints '"submitted": 3'
says '3 rows read, 3 kept'
"$gpuyard" run - --trace t.csv --quiet <s.json >out 2>err
status=$?
is_status 0
ok test ! -s out
ok test ! -s err
"$gpuyard" run - --trace - <s.json >out 2>err
status=$?
is_status 2
says 'standard input'
gzip -k t.csv s.json
run run s.json.gz --trace t.csv.gz --json
is_status 0
prints '"submitted": 3'
run run s.json --json --timing
is_status 0
prints '"jobs_per_s"'
ok grep -qv jobs_per_s o/summary.json
run run s.json --json
ok test -z "$(grep jobs_per_s out)"

# Events.
run run s.json --set output.events=true --set output.jobs=false --set output.timeline_s=0 --out o10
equal "files" "$(cd o10 && echo *)" "events.jsonl manifest.json summary.json"

# Thresholds.
run run s.json --set 'thresholds=[{"metric": "wait_s.max", "max": 200}]'
is_status 0
run run s.json --set 'thresholds=[{"metric": "wait_s.max", "max": 5}]' --out o11
is_status 1
says 'threshold failed: wait_s\.max is 99'
ok test -f o11/summary.json
run run s.json --set 'thresholds=[{"metric": "team.y.wait_s.max", "max": 5}]' --quiet
is_status 1

# The resolved scenario of the manifest runs to the same result.
ok sh -c 'command -v python3 >/dev/null || exit 0; python3 -c "import json; json.dump(json.load(open(\"o/manifest.json\"))[\"scenario\"], open(\"again.json\", \"w\"))"'
if [ -f again.json ]; then
    run run again.json --out o12
    is_status 0
    ok cmp o/summary.json o12/summary.json
    ok cmp o/jobs.csv o12/jobs.csv
fi

# Interrupted: partial results, marked, and the signal's exit status. The trace must take a while.
seq 400000 | awk 'BEGIN { print "job_id,submit_s,duration_s,gpus" } { print $1 "," $1 "," 5 + $1 % 5000 "," 1 + $1 % 4 }' >long.csv
for signal in INT TERM; do
    rm -rf p
    last="gpuyard run, then SIG$signal"
    "$gpuyard" run s.json --trace long.csv --set output.events=true --out p --set cluster.nodes.0.count=90 >out 2>err &
    pid=$!
    for _ in $(seq 100); do
        [ -d p ] && break
        sleep 0.02
    done
    sleep 0.15
    kill -"$signal" $pid
    wait $pid
    status=$?
    if [ "$status" -eq 0 ]; then
        echo "SKIP: the run ended before SIG$signal came"
        continue
    fi
    is_status $((128 + $(kill -l "$signal")))
    says 'interrupted at simulated time'
    ok grep -q '"partial"' p/manifest.json
    prints 'partial'
    equal "left over" "$(find . -name '*.partial')" ""
done

# A reservation that was made for later and came to nothing does not make the run longer: 20 s on the GPU, not 1000.
printf 'job_id,submit_s,duration_s,gpus,limit_s\na,0,10,8,1000\nb,1,10,8,1000\n' >early.csv
rm -rf early
run run s.json --trace early.csv --set cluster.nodes.0.count=1 --set 'scheduler={"preset": "conservative"}' --set output.timeline_s=0 --out early
is_status 0
ok grep -Eq '"allocated": *1,' early/summary.json

# Two jobs, but a hundred million samples: the signal is heard between samples too.
printf 'job_id,submit_s,duration_s,gpus\na,0,1,1\nb,100,1,1\n' >few.csv
last="gpuyard run with very many samples, then SIGTERM"
rm -rf p
"$gpuyard" run s.json --trace few.csv --set output.timeline_s=0.000001 --out p >out 2>err &
pid=$!
sleep 0.5
kill -TERM $pid
wait $pid
status=$?
is_status 143
prints 'partial'
equal "left over" "$(find . -name '*.partial')" ""
rm -rf p

# A machine that fails: a closed pipe, a full disk, a folder that may not be written.
last="gpuyard run s.json | true"
{ "$gpuyard" run s.json 2>err; echo $? >code; } | :
sleep 0.1
checks=$((checks + 1))
[ "$(cat code)" = 3 ] || [ "$(cat code)" = 0 ] || fail "exit status of a closed pipe is $(cat code)"
if [ -w /dev/full ]; then
    "$gpuyard" run s.json >/dev/full 2>err
    status=$?
    is_status 3
    says 'standard output: cannot write: No space left'
fi
if [ "$(id -u)" != 0 ]; then
    mkdir locked
    chmod a-w locked
    run run s.json --out locked/o
    is_status 3
    says 'locked'
fi
echo file >plain
run run s.json --out plain/o
says 'plain'
ok test "$status" -ne 0
finish
