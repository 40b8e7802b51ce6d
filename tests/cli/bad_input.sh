#!/usr/bin/env bash
# Wrong input: exit status 2, a message with place and hint, and no output left behind.
. "$(dirname "$0")/lib.sh"

node='{"name": "n", "gpus": 8}'
good_trace() { printf 'job_id,submit_s,duration_s,gpus\na,0,10,1\nb,1,10,2\n' >t.csv; }

garbage() { seq 3000 | gzip -c | tail -c +11; }

# Scenario files.
run run missing.json --out o
refused 'missing\.json: .*no such file'
good_trace
scenario "$node" ''
run run s.jsn --out o
refused 's\.jsn: .*no such file' 'did you mean "s\.json"'
: >empty.json
run run empty.json --out o
refused 'empty\.json'
garbage >garbage.json
run run garbage.json --out o
refused 'garbage\.json:1:'
printf '{"cluster": {"nodes": [{"gpus": 8}]},\n "trace": {"path": "t.csv"},\n  }' >cut.json
run run cut.json --out o
refused 'cut\.json:2:28: .*comma'
printf '{"seed": 1, "seed": 2}' >twice.json
run run twice.json --out o
refused 'twice\.json:1:13: .*seed'
printf '{"name": "unended' >unended.json
run run unended.json --out o
refused 'unended\.json:1:'
gzip -c s.json | head -c 60 >s.json.gz
run run s.json.gz --out o
refused 's\.json\.gz: .*(cut|truncated|end)'
printf '{\n  "cluster": {\n    "nodes": [\n      {\n        "gpu": 8\n      }\n    ]\n  },\n  "sed": 1,\n  "stop": {"at": "3 parsecs"}\n}\n' >keys.json
run run keys.json --out o
refused 'keys\.json:5:9: /cluster/nodes/0/gpu: unknown key; did you mean "gpus"\?' 'keys\.json:9:3: /sed: unknown key; did you mean "seed"' \
    'keys\.json:10:12: /stop/at: '
yes '"x' | head -n 30 | awk 'BEGIN { printf "{" } { printf "%s\"x%d\": 1", (NR > 1) ? ",\n" : "", NR } END { print "}" }' >many.json
run run many.json --out o
refused 'x1: unknown key' 'and 10 more'
scenario '' ''
run run s.json --out o
refused '/cluster: the cluster has no nodes'
scenario "$node" '"preset": "fiffo"'
run run s.json --out o
refused 's\.json:1:.*: /scheduler/preset: unknown policy "fiffo"; did you mean "fifo"'
scenario "$node" '"preset": "composed", "placement": "packed"'
run run s.json --out o
refused '/scheduler/placement: found "packed"; expected one of .*pack'
scenario '{"name": "n", "gpus": "8"}' ''
run run s.json --out o
refused '/cluster/nodes/0/gpus: found "8"; expected a whole number'
scenario '{"name": "n", "gpus": 1e30}' ''
run run s.json --out o
refused '/cluster/nodes/0/gpus'
scenario '{"name": "n", "gpus": 8.5}' ''
run run s.json --out o
refused '/cluster/nodes/0/gpus: found 8\.5; expected a whole number'
scenario '{"name": "n[1-99999999999]", "gpus": 8}' ''
run run s.json --out o
refused '/cluster/nodes/0: .*more than'
scenario "$node, $node" ''
run run s.json --out o
refused 'two nodes are called "n"'
printf '{"cluster": {"nodes": [%s]}}' "$node" >s.json
run run s.json --out o
refused 's\.json.*/trace: no trace is given'
scenario "$node" ''
run run s.json --set nope.x=1 --out o
refused '/nope: unknown key'
run run s.json --set cluster.nodes.7.count=1 --out o
refused '--set cluster\.nodes\.7\.count=1'
run run s.json --set 'network.fidelity=flow' --out o
refused 'fidelity "flow" is not built yet'
run run s.json --set 'thresholds=[{"metric": "wait_s.p96", "max": 1}]' --out o
refused '/thresholds/0/metric: .*wait_s\.p96.*did you mean "wait_s\.p9'

# Traces.
rm -f t.csv
run run s.json --out o
refused 't\.csv: .*no such file'
: >t.csv
run run s.json --out o
refused 't\.csv'
printf 'job_id,submit_s,duration_s,gpus\n' >t.csv
run run s.json --out o
refused 't\.csv'
garbage >t.csv
run run s.json --out o
refused 't\.csv'
good_trace
seq 2000 | sed 's/.*/j&,&,10,1/' | cat t.csv - | gzip -c | head -c 2000 >t.csv.gz
run run s.json --trace t.csv.gz --out o
refused 't\.csv\.gz: .*(cut|truncated|end)'
run run s.json --format nonsense --out o
refused 'nonsense'
run run s.json --format phily --out o
refused 'philly'
printf 'job_id,submit_s,gpus\na,0,1\n' >t.csv
run run s.json --format gpuyard --out o
refused 'duration_s'
printf 'job_id,submit_s,duration_s,gpus\na,0,-5,1\n' >t.csv
run run s.json --out o
refused 't\.csv'

# A bad row costs that row; --strict makes it fatal.
printf 'job_id,submit_s,duration_s,gpus\na,0,10,1\nb,1,-5,1\nc,2,1e300,1\nd,3,5,99999999999\na,4,5,1\ne,x,5,1\nf,6,5\ng,7,5,1,\n' >t.csv
run run s.json --out o
is_status 0
prints '8 rows read'
prints 'duration_s.*t\.csv:3'
ok test -f o/manifest.json
rm -rf o
run run s.json --json
is_status 0
says '8 rows read'
run run s.json --strict --out o
refused 't\.csv:[0-9]+'

# A line without end costs its row, wherever it stands; a column named twice is not guessed at.
scenario "$node" ''
{ printf 'job_id,submit_s,duration_s,gpus\n' && head -c 3000000 /dev/zero | tr '\0' x && printf ',0,1,1\nb,1,10,2\n'; } >t.csv
run run s.json --out o
is_status 0
prints '2 rows read, 1 kept, 1 skipped'
prints '1 row skipped: a line of more than 1 MiB \(first: t\.csv:2'
rm -rf o
run run s.json --strict --out o
refused 't\.csv:2: .*1 MiB'
{ printf 'job_id,submit_s,duration_s,gpus\n"a,0,1,1\n' && head -c 3000000 /dev/zero | tr '\0' x && printf '\nb,1,10,2\n'; } >t.csv
run run s.json --out o
is_status 0
prints '3 rows read, 1 kept, 2 skipped'
rm -rf o
printf 'job_id,submit_s,duration_s,gpus,gpus\na,0,10,1,3\n' >t.csv
run run s.json --out o
refused 't\.csv:1: column "gpus" is in the header 2 times'
# Names that a placement could not be read back from, and a sampling period that asks for too much.
printf 'job_id,submit_s,duration_s,gpus\na,0,100,1\n' >t.csv
for name in 'a:b' 'a;b' 'a\u0001b'; do
    printf '{"cluster": {"nodes": [{"name": "%s", "gpus": 1}]}, "trace": {"path": "t.csv"}}' "$name" >s.json
    run run s.json --out o
    refused '/cluster' 'control byte'
done
printf '{"cluster": {"nodes": [{"name": "n", "gpus": 1}]}, "trace": {"path": "t.csv"}, "output": {"timeline_s": 0.000001}}' >s.json
run run s.json --out o
refused 'more than 10000000 samples' 'output\.timeline_s'

finish
