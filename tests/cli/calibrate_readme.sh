#!/usr/bin/env bash
# The README's three commands, from an nccl-tests log to a calibrated what-if, and a replay that uses the calibration.
. "$(dirname "$0")/lib.sh"

# A log as nccl-tests writes it, of 2 nodes of 8 GPUs: 40 us and 180 GB/s of algorithm bandwidth.
{
    echo "# nThread 1 nGpus 1 minBytes 8192 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0"
    echo "#"
    echo "# Using devices"
    for rank in $(seq 0 15); do
        printf '#  Rank %2d Group  0 Pid %6d on node%d device %2d [0x%02x] NVIDIA H100 80GB HBM3\n' "$rank" $((4000 + rank)) $((rank / 8)) $((rank % 8)) $((rank % 8 + 16))
    done
    echo "#"
    echo "#                                                              out-of-place                       in-place"
    echo "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong"
    echo "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)"
    awk 'BEGIN { for (b = 8192; b <= 2 ^ 33; b *= 2) { t = 40 + b / 180e3; a = b / t / 1e3
        printf "%12.0f %13.0f %9s %7s %7d %8.2f %7.2f %7.2f %6d %8.2f %7.2f %7.2f %6d\n", b, b / 4, "float", "sum", -1, t, a, a * 1.875, 0, t, a, a * 1.875, 0 } }'
    echo "# Out of bounds values : 0 OK"
    echo "# Avg bus bandwidth    : 150.0"
} >all_reduce.log

run calibrate import all_reduce.log --hardware hgx-h100 --fabric ib-ndr -o m.json
is_status 0
run calibrate fit m.json -o mine.json
is_status 0
run predict collective --op all_reduce --hardware hgx-h100 --fabric ib-ndr --nodes 16 --calibration mine.json --bytes 64MiB,1GiB
is_status 0
# On the measured configuration the answer is the measurement: 1 GiB in 40 us + 5965 us.
run predict collective --op all_reduce --hardware hgx-h100 --fabric ib-ndr --nodes 2 --calibration mine.json --bytes 1GiB --json
is_status 0
us=$(sed -n 's/.*"time_us": *\([0-9.]*\).*/\1/p' out | head -n 1)
ok awk -v us="$us" 'BEGIN { exit !(us > 0.97 * 6005 && us < 1.03 * 6005) }'
grep -q '"model_error"' out || fail "the answer does not say its error"

# The same file in a replay: two jobs split over two leaves share the uplinks.
cat >t.csv <<'END'
job_id,submit_s,duration_s,gpus,gpus_per_node
x0,0,10,8,8
x1,0,20,8,8
x2,0,10,8,8
x3,0,20,8,8
a,1,1000,16,8
b,1,1000,16,8
END
cat >net.json <<'END'
{"cluster": {"nodes": [{"name": "n[0-3]", "hardware": "hgx-h100"}],
  "fabric": {"type": "fat-tree", "nic": "ib-ndr", "nodes_per_leaf": 2, "oversubscription": 2}},
 "trace": {"path": "t.csv"}, "scheduler": {"placement": "first"}, "network": {"fidelity": "fluid"},
 "workloads": [{"match": {"gpus": "16"}, "profile": {"compute_s": 0.01, "allreduce_gb": 1.073741824}}]}
END
run run net.json --set network.calibration=mine.json --out o
is_status 0
want=$(awk -v us="$us" 'BEGIN { c = us * 1e-6; printf "%.0f", 20 + 990 * (0.01 + 2 * c) / (0.01 + c) }')
equal "end of a" "$(awk -v e="$(column o/jobs.csv a end_s)" 'BEGIN { printf "%.0f", e }')" "$want"
finish
