#!/usr/bin/env bash
# Published traces through the binary: Philly and openb on their own node lists under FIFO, EASY and SJF; the books
# balance; with more GPUs than anybody asks for nobody waits and every job runs its recorded time.
. "$(dirname "$0")/lib.sh"
philly=$shared/traces/philly
openb=$shared/traces/openb
if [ ! -f "$philly/philly_sia.csv.gz" ] || [ ! -f "$openb/openb_pod_list_default.csv" ]; then
    echo "SKIP: the published traces are not beside the repository (../shared/data)"
    exit 77
fi

number() { sed -n "/\"$1\": {/,/}/s/.*\"$2\": \\([-0-9.e+]*\\),\\{0,1\\}\$/\\1/p" o/summary.json | head -n 1; }
# Of all jobs of jobs.csv: how many, the sum of GPU-seconds, the longest wait.
totals() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { n++; g += $at["gpu_seconds"]; if ($at["wait_s"] > w) w = $at["wait_s"] }
        END { printf "%d %.6f %s\n", n, g, w + 0 }' o/jobs.csv
}
balance() { # submitted
    local sum
    sum=$(($(number jobs completed) + $(number jobs failed) + $(number jobs cancelled) + $(number jobs timeout) + $(number jobs pending) + $(number jobs running)))
    equal "jobs by state" "$sum" "$1"
    equal "submitted" "$(number jobs submitted)" "$1"
    checks=$((checks + 1))
    awk -v t="$(number gpu_hours total)" -v a="$(number gpu_hours allocated)" -v d="$(number gpu_hours down)" \
        -v f="$(number gpu_hours free)" 'BEGIN { e = t - a - d - f; exit !(t > 0 && e < 1e-9 * t && e > -1e-9 * t) }' ||
        fail "GPU-hours do not add up"
}

cat >philly.json <<END
{"cluster": {"nodes_file": "$philly/revised_machine_list.csv"},
 "trace": {"path": "$philly/philly_sia.csv.gz", "limit_factor": 2}}
END
cat >openb.json <<END
{"cluster": {"nodes_file": "$openb/openb_node_list_all_node.csv"},
 "trace": {"path": "$openb/openb_pod_list_default.csv", "limit_factor": 2}}
END
for policy in '{"preset": "fifo"}' '{"preset": "composed", "backfill": "easy"}' '{"preset": "sjf"}'; do
    run run philly.json --set "scheduler=$policy" --out o
    is_status 0
    prints '82,247 rows read, 82,247 kept, 0 skipped'
    balance 82247
    run run openb.json --set "scheduler=$policy" --out o
    is_status 0
    prints '8,152 rows read, 8,152 kept, 0 skipped'
    balance 8152
done

# More GPUs than anybody asks for. What the trace says, by its own file: duration × GPUs.
"$gpuyard" trace convert "$philly/philly_sia.csv.gz" --out trace.csv --quiet
trace=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { g += $at["duration_s"] * $at["gpus"] } END { printf "%.6f", g }' trace.csv)
run run philly.json --set 'cluster={"nodes": [{"count": 3000, "gpus": 128}]}' --set 'scheduler={"preset": "fifo"}' --set trace.limit_factor=0 --out o
is_status 0
equal "jobs, GPU-seconds and longest wait" "$(totals)" "82247 $trace 0"
checks=$((checks + 1))
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    FNR == NR { d[$at["job_id"]] = $at["duration_s"]; next }
    FNR == 1 { for (i = 1; i <= NF; i++) to[$i] = i; next }
    d[$to["job_id"]] != $to["run_s"] { bad++ } END { exit bad > 0 }' trace.csv o/jobs.csv || fail "run times are not the trace's"

# Batsim's recording, start for start (it has microseconds), through the binary.
if [ -f "$shared/traces/batsim/medium_late.json" ]; then
    printf '{}' >none.json
    run run none.json --set 'cluster={"nodes": [{"name": "host[0-31]", "gpus": 1}]}' --trace "$shared/traces/batsim/medium_late.json" \
        --set 'scheduler={"preset": "composed", "backfill": "easy-batsched", "placement": "first"}' --out o
    is_status 0
    equal "equal starts of 801" "$(awk -F, '
        FNR == 1 { f++; for (i = 1; i <= NF; i++) at[f, $i] = i; next }
        f == 1 { s[$at[1, "job_id"]] = $at[1, "starting_time"]; next }
        { d = s[$at[2, "job_id"]] - $at[2, "start_s"]; if (d < 1e-5 && d > -1e-5) same++ } END { print same + 0 }' \
        "$shared/traces/batsim/medium_late_easy/out_jobs.csv" o/jobs.csv)" 801
fi
finish
