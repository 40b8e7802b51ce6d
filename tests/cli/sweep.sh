#!/usr/bin/env bash
# gpuyard sweep: the same results.csv however the work is cut and however often it was killed; a machine that fails
# leaves the store intact; help and wrong input.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(5); print "job_id,submit_s,duration_s,gpus"; for (i = 0; i < 1500; i++) { t += int(rand() * 60); printf "%d,%d,%d,%d\n", i, t, 60 + int(rand() * 3000), 2 ^ int(rand() * 4) } }' >t.csv
cat >base.json <<'JSON'
{"cluster": {"nodes": [{"name": "n", "count": 8, "gpus": 8}]}, "trace": {"path": "t.csv"}, "scheduler": {"preset": "composed"}}
JSON
cat >study.json <<'JSON'
{"base": "base.json", "axes": {"/scheduler/order": ["fifo", "sjf"], "/scheduler/backfill": ["none", "easy"],
 "/cluster/nodes/0/count": [7, 8, 9, 10, 11]}, "seeds": [1, 2]}
JSON

run sweep study.json --out one
is_status 0
prints '^40 points: 0 found in the store, 40 run now'
equal "lines" "$(wc -l <one/results.csv)" 41
equal "points" "$(cut -d, -f1 one/results.csv | tail -n +2 | paste -sd' ')" "$(seq -s' ' 0 39)"
ok grep -q '^point,id,seed,/scheduler/order,/scheduler/backfill,/cluster/nodes/0/count,jobs.submitted,' one/results.csv
run sweep study.json --out one -j 2
prints '40 found in the store, 0 run now'
run sweep study.json --out two -j 2
is_status 0
ok cmp one/results.csv two/results.csv

# Shards, in any order, then gathered.
for i in 3 1 2; do
    run sweep study.json --out shards --shard $i/3
    is_status 0
    ok test ! -e shards/results.csv
done
run sweep study.json --out shards
prints '40 found in the store, 0 run now'
ok cmp one/results.csv shards/results.csv
run sweep study.json --sbatch 3
is_status 0
ok bash -n out
prints '^#SBATCH --array=1-3$'

# An extended study runs only what is new.
sed 's/\[7, 8/[6, 7, 8/' study.json >more.json
run sweep more.json --out one
prints '^48 points: 40 found in the store, 8 run now'
run sweep study.json --out one
ok cmp one/results.csv two/results.csv

# One point is what gpuyard run says.
run run base.json --set /scheduler/order=sjf --set /scheduler/backfill=easy --set /cluster/nodes/0/count=9 --json
wait_mean=$(sed -n '/"wait_s"/,/}/s/.*"mean": \([^,]*\),*/\1/p' out | head -n 1)
equal "mean wait" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "wait_s.mean") c = i } $4 == "sjf" && $5 == "easy" && $6 == 9 { print $c; exit }' two/results.csv)" "$wait_mean"

# Killed at twenty moments, each time resumed: nothing lost, nothing doubled.
for i in $(seq 1 20); do
    "$gpuyard" sweep study.json --out killed -j 2 >out 2>err </dev/null &
    pid=$!
    sleep "0.0$((RANDOM % 9 + 1))"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
done
run sweep study.json --out killed
is_status 0
prints '^40 points: [0-9]+ found in the store, [0-9]+ run now'
ok cmp one/results.csv killed/results.csv
# And with Ctrl-C.
"$gpuyard" sweep study.json --out stopped >out 2>err </dev/null &
pid=$!
sleep 0.05
kill -INT $pid
wait $pid
run sweep study.json --out stopped
is_status 0
ok cmp one/results.csv stopped/results.csv

# A disk that is full, and a folder that may not be written: exit status 3, a clear word, the store intact.
cp -r two full
(
    ulimit -f 200
    exec "$gpuyard" sweep more.json --out fresh
) >out 2>err </dev/null
status=$?
last="sweep with files of at most 200 blocks"
is_status 3
says 'fresh/store.sqlite'
run sweep more.json --out fresh
is_status 0
equal "lines" "$(wc -l <fresh/results.csv)" 49
ok test "$(ls fresh)" = "$(printf 'results.csv\nstore.sqlite')"
# Root may write anywhere, so it becomes nobody for this.
as=()
if [ "$(id -u)" = 0 ]; then
    as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod 755 "$tmp"
    cp "$gpuyard" "$tmp/binary"
    chmod -R a+rX full ./*.json ./*.csv
else
    ln -s "$gpuyard" "$tmp/binary"
fi
if "${as[@]}" "$tmp/binary" --version >/dev/null 2>&1; then
    before=$(cksum <full/store.sqlite)
    chmod -w full full/*
    last="sweep into a folder that may not be written"
    "${as[@]}" "$tmp/binary" sweep more.json --out full >out 2>err </dev/null
    status=$?
    is_status 3
    says 'full'
    chmod u+w full full/*
    equal "the store" "$(cksum <full/store.sqlite)" "$before"
    run sweep more.json --out full
    is_status 0
else
    echo "SKIP: nobody else could be asked; a folder that may not be written was not tried"
fi
touch file
run sweep study.json --out file/below
is_status 3
says 'file/below'
echo "no database" >two/store.sqlite
run sweep study.json --out two
is_status 2
says 'two/store.sqlite'

# Wrong input.
run sweep study.json -j 0
is_status 2
run sweep study.json --shard 4/3
is_status 2
run sweep nowhere.json
is_status 2
sed 's/sjf/sfj/' study.json >wrong.json
run sweep wrong.json --out wrong
is_status 2
says 'sfj'
ok test ! -e wrong
run sweep study.json --set /scheduler/ordr=fifo --out wrong
is_status 2
says 'ordr'
run schema study
is_status 0
prints '"goal"'
finish
