#!/usr/bin/env bash
# gpuyard plan: the answer for people and as JSON, goals that cannot be met, wrong input. Known answers: tests/cases.
. "$(dirname "$0")/lib.sh"

printf 'job_id,submit_s,duration_s,gpus,team\na,0,100,8,x\nb,0,100,8,y\nc,0,100,8,y\nd,0,100,8,y\n' >t.csv
plan() { # goal, further members
    printf '{"base": {"cluster": {"nodes": [{"name": "n", "count": 1, "gpus": 8, "gpu_type": "A"}]}, "trace": {"path": "t.csv"}, "prices": {"A": 2}},
 "vary": {"/cluster/nodes/0/count": {"min": 1, "max": 9}}, "goal": [%s]%s}\n' "$1" "${2-}" >p.json
}

plan '{"metric": "makespan_s", "max": 200}'
run plan p.json
is_status 0
prints '^answer     /cluster/nodes/0/count = 2$'
prints '^cluster    2 nodes, 16 GPUs, 32 USD an hour$'
prints '^binding    at /cluster/nodes/0/count = 1: makespan_s ≤ 200: 400$'
run plan p.json --json -j 2
is_status 0
prints '"/cluster/nodes/0/count": 2'
prints '"proven": true'
cp out first
run plan p.json --json --progress always
ok cmp out first
run plan p.json --out answer.json
ok cmp answer.json first
run plan p.json --set /cluster/nodes/0/gpus=16
prints '^answer     /cluster/nodes/0/count = 1$'

# Seeds: a bound, the same answer.
plan '{"metric": "makespan_s", "max": 200}' ', "seeds": [1, 2, 3]'
run plan p.json
prints 'makespan_s ≤ 200: 200 ± 0'

# Goals that nothing meets: exit status 1, and which one binds.
plan '{"metric": "makespan_s", "max": 50}, {"metric": "wait_s.max", "max": 1000}'
run plan p.json
is_status 1
prints '^No setting meets the goals'
prints '^binding    makespan_s ≤ 50: 100$'
run plan p.json --json
is_status 1
prints '"answer": null'

# The largest that still meets a goal.
plan '{"metric": "utilization.allocated", "min": 0.9}' ', "minimize": "gpus"'
sed -i.bak 's/"max": 9/"max": 9, "prefer": "max"/' p.json
run plan p.json
is_status 0

# Cost by team and idle add up.
printf '{"cluster": {"nodes": [{"name": "n", "count": 3, "gpus": 8, "gpu_type": "A"}]}, "trace": {"path": "t.csv"}, "prices": {"A": 2}}' >s.json
run run s.json --json # 3 nodes for 200 s; x has one job of 100 s, y three
is_status 0
equal "total" "$(sed -n '/"cost_usd"/,/}/s/.*"total": \(2.66666[0-9]*\),*/ok/p' out)" ok
equal "idle" "$(sed -n '/"cost_usd"/,/}/s/.*"idle": \(0.88888[0-9]*\),*/ok/p' out)" ok
# … and so do the jobs' own costs and idle, with two prices and a job that runs on both.
printf 'job_id,submit_s,duration_s,gpus,nodes\na,0,3600,8,2\nb,0,1800,4,1\nc,10,7200,6,1\n' >two.csv
printf '{"cluster": {"nodes": [{"name": "p", "gpus": 8, "gpu_type": "A"}, {"name": "q", "gpus": 4, "gpu_type": "B"}]}, "trace": {"path": "two.csv"}, "scheduler": {"placement": "first"}, "prices": {"A": 2, "B": 5}}' >two.json
run run two.json --json --out two
is_status 0
equal "a: 4 GPUs of A, 4 of B, 1 h" "$(column two/jobs.csv a cost_usd)" 28
equal "b: 4 GPUs of A, half an hour" "$(column two/jobs.csv b cost_usd)" 4
sum=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cost_usd") c = i; next } { s += $c } END { print s }' two/jobs.csv)
cost() { awk -v k="\"$1\"" '/"cost_usd": \{/ { on = 1 } on && index($0, k) { print $2 + 0; exit }' out; }
ok awk -v sum="$sum" -v idle="$(cost idle)" -v total="$(cost total)" 'BEGIN { exit !(total > 0 && (sum + idle - total) ^ 2 < 1e-10) }'
run run s.json --set 'prices={"B": 1}'
is_status 2
says 'no price for GPUs of type "A"'
run run s.json --set 'prices={"*": -1}'
is_status 2

# Wrong input.
plan '{"metric": "wait_s.p59", "max": 50}'
run plan p.json
is_status 2
says 'p.json:2.*wait_s.p59.*wait_s.p'
plan '{"metric": "wait_s.p95"}'
run plan p.json
is_status 2
says 'always met'
plan '{"metric": "wait_s.p95", "max": 1}' ', "minimize": "cost", "set": {"/prices": {}}'
run plan p.json
is_status 2
says 'prices'
printf '{"base": {}, "goal": [{"metric": "makespan_s", "max": 1}]}' >p.json
run plan p.json
is_status 2
says '/vary'
printf '{"base": {}, "vary": {"/a": {"min": 3, "max": 1}}, "goal": [{"metric": "makespan_s", "max": 1}]}' >p.json
run plan p.json
is_status 2
says 'min ≤ max'
run plan --help
is_status 0
finish
