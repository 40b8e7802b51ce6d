#!/usr/bin/env bash
# The fluid network through the binary: CASES.md 8(c) as run times, bad sections refused, what a run says about its links.
. "$(dirname "$0")/lib.sh"
state() { equal "$2 of $1" "$(column o/jobs.csv "$1" "$2")" "$3"; }

cat >t.csv <<'END'
job_id,submit_s,duration_s,gpus,gpus_per_node
x0,0,10,2,1
x1,0,10,2,1
x2,0,10,2,1
x3,0,20,2,1
a,1,148,4,1
b,1,148,4,1
END
cat >s.json <<'END'
{"name": "leaves", "cluster": {"nodes": [{"name": "n[0-7]", "gpus": 1}],
  "fabric": {"type": "fat-tree", "nic_gbit": 400, "nodes_per_leaf": 4, "oversubscription": 4}},
 "trace": {"path": "t.csv"}, "scheduler": {"placement": "first"}, "network": {"fidelity": "fluid"},
 "workloads": [{"match": {"gpus": ">=3"}, "profile": {"compute_s": 1, "allreduce_gb": 16}}]}
END
# a takes leaf 0 whole at 10; b waits for x3 until 20 and takes leaf 1: nobody shares a link.
run run s.json --out o
is_status 0
state a end_s 158
state b end_s 168
# x1 holds two nodes of leaf 0 until 20: a is split from 10 on and alone until b is split as well at 20, both on one
# uplink a direction from then on: steps of 1.96 s instead of 1.48. a: 138 s of work left at 20, b: 148.
sed -i 's/^x1,0,10/x1,0,20/' t.csv
run run s.json --out o
is_status 0
state a placement 'n0:0;n1:0;n4:0;n5:0'
state a end_s 202.756756757
state b end_s 212.756756757
equal "hottest links" "$(awk -F, '$2 ~ /leaf/ && $3 ~ /spine/' o/links.csv | wc -l)" "$(awk -F, '$2 ~ /spine/ && $3 ~ /leaf/' o/links.csv | wc -l)"
# explain: who slowed it, from when to when (1.48 / 1.96 of its speed from 20 s on).
run run s.json --set output.events=true --out e
run explain e --job a
is_status 0
prints '^ +20 .*runs at 0\.755 times its speed, the link leaf[01] to spine0 is full and holds back 2 jobs'
run explain e --job b --json
is_status 0
prints '"rate": 0\.7551'
grep -q '"network"' o/summary.json || fail "no network metrics"
grep -q 'bursts of traffic' o/manifest.json || fail "the manifest does not say what is left out"
# Without the network the recorded run times stand.
run run s.json --set network.fidelity=none --set 'workloads=[]' --out o
is_status 0
state b end_s 168

rm -rf o
run run s.json --set network.fidelity=none --out o
refused '/workloads: workloads have no effect without a network model'
run run s.json --set network.fidelity=flow --out o
refused 'fidelity "flow" is not built yet'
run run s.json --set 'workloads.0.match.gpus="many"' --out o
refused '/workloads/0/match/gpus: found "many"'
run run s.json --set 'workloads.0.profile.compute=1' --out o
refused 'unknown key; did you mean "compute_s"'
run run s.json --set 'cluster.fabric.nic_gbit=null' --out o
refused '/cluster/fabric: the NIC rate is not known'
run run s.json --set 'cluster.fabric.typ=1' --out o
refused '/cluster/fabric/typ: unknown key; did you mean "type"'
run run s.json --set 'cluster.fabric.nic_gbit=null' --set 'cluster.fabric.nic="ib-ndq"' --out o
refused 'ib-nd'
rm -rf o
# With hardware and fabric by name, the collectives take as long as their calibrated model says: two jobs, each split over
# both leaves, halve each other's all-reduce.
cat >h.csv <<'END'
job_id,submit_s,duration_s,gpus,gpus_per_node
x0,0,10,16,8
x1,0,20,16,8
x2,0,10,16,8
x3,0,20,16,8
a,1,1000,32,8
b,1,1000,32,8
END
cat >h.json <<'END'
{"cluster": {"nodes": [{"name": "n[0-7]", "hardware": "hgx-h100"}],
  "fabric": {"type": "fat-tree", "nic": "ib-ndr", "nodes_per_leaf": 4, "oversubscription": 4}},
 "trace": {"path": "h.csv"}, "scheduler": {"placement": "first"}, "network": {"fidelity": "fluid"},
 "workloads": [{"match": {"gpus": ">=32"}, "profile": {"compute_s": 0.02, "allreduce_gb": 4}}]}
END
run run h.json --out o
is_status 0
comm=$("$gpuyard" predict collective --op all_reduce --hardware hgx-h100 --nodes 4 --fabric ib-ndr --bytes 4000000000 --json |
    sed -n 's/.*"time_us": *\([0-9.]*\).*/\1/p' | head -n 1)
want=$(awk -v us="$comm" 'BEGIN { c = us * 1e-6; slow = (0.02 + 2 * c) / (0.02 + c); printf "%.1f", 20 + 990 * slow }')
equal "end of a, slowed by b" "$(awk -v e="$(column o/jobs.csv a end_s)" 'BEGIN { printf "%.1f", e }')" "$want"
rm -rf o
run run h.json --set network.calibration=nowhere.json --out o
refused 'nowhere\.json'
run run s.json --set network.calibration=nowhere.json --out o
refused '/network/calibration: a calibration needs'
finish
