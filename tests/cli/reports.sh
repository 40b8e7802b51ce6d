#!/usr/bin/env bash
# report, explain and export: the right reasons on cases worked out by hand, books that balance, texts that stay texts, and
# formats read back by other programs.
. "$(dirname "$0")/lib.sh"

# ---- case 1: four nodes, EASY: B waits for A, C overtakes it, D is held by B's reservation
printf 'job_id,submit_s,duration_s,gpus,nodes,limit_s\nA,0,100,2,2,100\nB,1,100,4,4,100\nC,2,90,2,2,90\nD,3,150,2,2,150\n' >t.csv
scenario '{"name": "n[1-4]", "gpus": 1}' '"backfill": "easy"'
run run s.json --out easy --set output.events=true
is_status 0
run explain easy --job B
is_status 0
prints 'waits: resources'
prints 'gets a planned start at 100'
prints '1 job submitted later started before it: C \(2 GPUs\)'
prints 'job A: 2 GPUs, 0 to 100'
prints 'it started at the first instant at which its GPUs were free'
run explain easy --job D
prints 'GPUs for it were free already: at 92, 00:01:48 earlier'
prints '1 job submitted before it waited too, for 4 GPUs'
run explain easy --job A
prints 'nothing was in its way'
run run s.json --out strict --set output.events=true --set scheduler.backfill=none
run explain strict --job C
prints 'waits: priority'
prints 'GPUs for it were free already: at 2, 00:03:18 earlier'
# Without an event log the same case is told from jobs.csv, and the reader is told how to see more.
run run s.json --out plain
run explain plain --job B
is_status 0
prints 'job A: 2 GPUs, 0 to 100'
prints '--set output.events=true'
run explain easy --job nobody
is_status 2
says 'no job has the id "nobody"'

# ---- case 2: best effort starves a whole-node job behind ten halves
{
    printf 'job_id,submit_s,duration_s,gpus\nS0,0,100,4\nS1,0,50,4\nL,10,50,8\n'
    for t in 40 90 140 190 240 290 340 390 440 490; do echo "T$t,$t,100,4"; done
} >t.csv
scenario '{"name": "n1", "gpus": 8}' '"queueing": "best_effort", "backfill": "none"'
run run s.json --out starved --set output.events=true
if [ "$status" = 0 ]; then
    run explain starved --job L
    prints '10 jobs submitted later started before it'
else
    run explain easy # this build names the scheduler's queueing otherwise
fi

# ---- the unused GPU-hours add up, on five scenarios
books() {
    run explain "$1" --json
    is_status 0
    sums=$(awk -F: '/"unused_gpu_hours"/ { u = $2 + 0 } /"gpu_hours"/ { s += $2 } /"total_gpu_hours"/ { t = $2 + 0 } /"allocated_gpu_hours"/ { a = $2 + 0 }
        END { d = t - a - s; print (d < 1e-9 * t && d > -1e-9 * t && u - s < 1e-9 * t && s - u < 1e-9 * t && t > 0) ? "equal" : "differ by " d }' out)
    equal "the sum of unused GPU-hours of $1" "$sums" equal
}
for s in "$root"/scenarios/*.json; do
    run run "$s" --set trace.to=3d --set stop.at=4d --set 'thresholds=[]' --set output.events=true --out "$(basename "$s" .json)"
    [ "$status" = 0 ] && books "$(basename "$s" .json)"
done
books easy
books strict

# ---- exports
q=quickstart
run export $q --format sqlite -o q.db
is_status 0
if command -v sqlite3 >/dev/null; then
    equal "rows of jobs" "$(sqlite3 q.db 'SELECT count(*) FROM jobs')" "$(($(wc -l <$q/jobs.csv) - 1))"
    equal "rows of events" "$(sqlite3 q.db 'SELECT count(*) FROM events')" "$(($(wc -l <$q/events.jsonl)))"
    equal "types" "$(sqlite3 q.db "SELECT typeof(submit_s) || typeof(gpus) || typeof(job_id) FROM jobs LIMIT 1")" realrealtext
    equal "GPU-hours by stays and by jobs" "$(sqlite3 q.db "SELECT abs((SELECT sum((gpu_last - gpu_first + 1) * thousandths / 1000.0 * (to_s - from_s)) FROM stays) - (SELECT sum(gpu_seconds) FROM jobs)) < 1")" 1
    equal "integrity" "$(sqlite3 q.db 'PRAGMA integrity_check')" ok
    for view in waits_by_size team_use unused waited_for; do
        ok test "$(sqlite3 q.db "SELECT count(*) FROM $view")" -gt 0
    done
else
    echo "SKIP: no sqlite3 shell; the database was not read back"
fi
run export $q --format sqlite
is_status 2
run export $q --format perfetto
is_status 0
prints '"traceEvents"'
run export $q --format openmetrics
is_status 0
equal "the end of OpenMetrics" "$(tail -n 1 out)" "# EOF"
python=/usr/bin/python3 # the system's own, which has the packages
if $python -c 'import prometheus_client' 2>/dev/null; then
    ok $python -c 'import sys; from prometheus_client.openmetrics.parser import text_string_to_metric_families as p; sys.exit(len(list(p(open("out").read()))) < 20)'
else
    echo "SKIP: no prometheus_client; OpenMetrics was not read by its parser"
fi
run export $q --format sacct
is_status 0
equal "rows of sacct" "$(wc -l <out)" "$(wc -l <$q/jobs.csv)"
equal "fields of sacct" "$(awk -F'|' '{ print NF }' out | sort -u | tr -d '\n')" 16
# Our own reader understands it: the same jobs, GPUs, users, teams, states, run times and submits from the first on.
mv out q.sacct
run trace convert q.sacct --format sacct
is_status 0
by_name() { # job, gpus, user, team, state, run time, submit
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; t = "duration_s" in c ? c["duration_s"] : c["run_s"]; next }
        !("end_s" in c) || ($c["start_s"] != "" && $c["end_s"] != "") { if (n++ == 0 || $c["submit_s"] < first) first = $c["submit_s"] + 0
            row[n] = $c["job_id"] " " $c["gpus"] " " $c["user"] " " $c["team"] " " $c["state"] " " $t; at[n] = $c["submit_s"] + 0 }
        END { for (i = 1; i <= n; i++) print row[i], at[i] - first }' "$1" | sort
}
by_name out >read.txt
by_name $q/jobs.csv >wrote.txt
ok test "$(wc -l <wrote.txt)" -gt 100
ok cmp read.txt wrote.txt
run export easy --format batsim
is_status 0
prints '^A,gpuyard,delay_100,0.000000,2,-1,1,COMPLETED_SUCCESSFULLY,0.000000,100.000000,100.000000,0.000000,100.000000,1,0-1,'
run export easy --format batsim-schedule
prints '^350.000000,'
run export $q --format csv
prints '^utilization.allocated,0\.'
run export $q --svg plots.svg
is_status 0
ok grep -q '</svg>' plots.svg
run export $q --format excel
is_status 2
says 'unknown format "excel"'
run export $q
is_status 2

# ---- hostile names are texts everywhere
long=$(printf 'x%.0s' $(seq 10000))
printf 'job_id,submit_s,duration_s,gpus,user,team\n' >t.csv
# shellcheck disable=SC1003
printf '"<script>alert(1)</script>",0,10,1,"=HYPERLINK(""x"")","</script><img src=x onerror=alert(1)>"\n\033[31mred,1,10,1,\342\200\256rtl,"a|b""c\\d"\n%s,2,10,1,u,"%s"\n' "$long" "$long" >>t.csv
scenario '{"name": "n[1-2]", "gpus": 1}' '"backfill": "easy"'
run run s.json --out hostile --set output.events=true --set 'name=</title><script>alert(2)</script>'
is_status 0
run explain hostile --job "$(printf '\033[31mred')"
is_status 0
ok test "$(tr -cd '\033' <out | wc -c)" -eq 0
run explain hostile --job "$long"
is_status 0
ok test "$(wc -c <out)" -lt 4000
for f in perfetto openmetrics sacct batsim csv svg; do
    run export hostile --format $f
    is_status 0
    [ $f = svg ] && ok test "$(grep -c '<script' out)" -eq 0
    [ $f = sacct ] && equal "fields of sacct" "$(awk -F'|' '{ print NF }' out | sort -u | tr -d '\n')" 16
done
run export hostile --format sqlite -o h.db
is_status 0

# ---- a quota (CASES.md 4 without borrowing): A's third job waits for A's limit, though four GPUs stand free
printf 'job_id,submit_s,duration_s,gpus,team\nA1,0,100,4,A\nA2,0,100,4,A\nA3,0,100,4,A\nB1,10,50,4,B\n' >t.csv
scenario '{"name": "n", "gpus": 12}' '"preset": "slurm", "cycle": "ideal", "accounts": [{"name": "A"}, {"name": "B"}], "limits": [{"account": "A", "max_gpus": 8}, {"account": "B", "max_gpus": 4}]'
run run s.json --out quota --set output.events=true
is_status 0
equal "start of A3" "$(column quota/jobs.csv A3 start_s)" 100
equal "start of B1" "$(column quota/jobs.csv B1 start_s)" 10
run explain quota --job A3
is_status 0
prints 'waits: quota .*free then: 4 GPUs of 12'
prints 'not short of hardware'

# ---- on a terminal: sparklines, and none of them under --plain
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    last="compare on a terminal"
    TERM=xterm script -qec "'$gpuyard' compare $q hostile" /dev/null >out 2>err </dev/null
    prints 'GPUs allocated over time'
    ok grep -q "$(printf '\342\226\201')" out
    TERM=xterm script -qec "'$gpuyard' compare --plain $q hostile" /dev/null >out 2>err </dev/null
    ok test "$(grep -c 'over time' out)" -eq 0
    TERM=xterm script -qec "'$gpuyard' run --plain s.json" /dev/null >out 2>err </dev/null
    ok test "$(LC_ALL=C tr -d '\000-\177' <out | wc -c)" -eq 0
else
    echo "SKIP: no pseudo-terminal; nothing was tried on a terminal"
fi
run compare $q hostile
ok test "$(grep -c 'over time' out)" -eq 0

# ---- the HTML report
run report hostile -o h.html
if [ "$status" = 3 ] && grep -q 'without the page' err; then
    echo "SKIP: built without npm; no HTML report"
else
    is_status 0
    equal "scripts run in the page" "$(grep -o '<script>' h.html | wc -l | tr -d ' ')" 1
    ok test "$(grep -c '<script>alert\|<img' h.html)" -eq 0
    run report $q hostile -o two.html
    is_status 0
    ok test "$(wc -c <two.html)" -lt 2000000
    ok grep -q "default-src 'none'" two.html
    run report $q -o again.html
    run report $q -o once.html
    ok cmp once.html again.html
fi
run report $q
is_status 2
finish
