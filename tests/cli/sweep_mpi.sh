#!/usr/bin/env bash
# gpuyard sweep under mpirun: the results of 1, 2 and 4 ranks are those of one process; errors end all ranks; a rank that
# is killed loses only what it was at.
. "$(dirname "$0")/lib.sh"
if ! command -v mpirun >/dev/null || [ ! -e "$(dirname "$gpuyard")/gpuyard-mpi.so" ]; then
    echo "SKIP: no mpirun, or built without MPI"
    exit 77
fi
# The MPI library keeps what it allocated until the process ends, which an instrumented build would call a leak of ours.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
ranks() { # N ARGS…
    last="mpirun -n $*"
    timeout 60 mpirun -n "$1" "$gpuyard" "${@:2}" >out 2>err </dev/null
    status=$?
}
awk 'BEGIN { srand(5); print "job_id,submit_s,duration_s,gpus"; for (i = 0; i < 800; i++) { t += int(rand() * 60); printf "%d,%d,%d,%d\n", i, t, 60 + int(rand() * 3000), 2 ^ int(rand() * 4) } }' >t.csv
cat >study.json <<'JSON'
{"base": {"cluster": {"nodes": [{"name": "n", "gpus": 8}]}, "trace": {"path": "t.csv"}},
 "axes": {"/scheduler/order": ["fifo", "sjf"], "/cluster/nodes/0/count": [5, 6, 7, 8, 9, 10]}, "seeds": [1, 2]}
JSON
run sweep study.json --out alone
is_status 0
for n in 1 2 4; do
    ranks $n sweep study.json --out "ranks$n"
    is_status 0
    prints '^24 points: 0 found in the store, 24 run now'
    ok cmp alone/results.csv "ranks$n/results.csv"
done
ranks 2 sweep study.json --out ranks2
prints '24 found in the store, 0 run now'
sed 's/sjf/sfj/' study.json >wrong.json
ranks 2 sweep wrong.json --out wrong
is_status 2
ranks 2 sweep nowhere.json
is_status 2
ranks 2 sweep study.json --out t.csv/below
is_status 3

# A rank is killed at a random moment; mpirun ends the others; running again does what is missing. What counts is a
# kill that hit: a rank that was there, in a sweep that had not ended.
awk 'BEGIN { srand(6); print "job_id,submit_s,duration_s,gpus"; for (i = 0; i < 20000; i++) { t += int(rand() * 60); printf "%d,%d,%d,%d\n", i, t, 60 + int(rand() * 3000), 2 ^ int(rand() * 4) } }' >long.csv
sed 's/t\.csv/long.csv/' study.json >long.json
run sweep long.json --out whole
is_status 0
hits=0
for try in $(seq 40); do
    [ "$hits" -lt "${RANK_KILLS:-6}" ] || break
    rm -rf killed
    ranks 3 sweep long.json --out killed &
    pid=$!
    sleep "0.$((3 + try * 7 % 6))"
    victim=$(pgrep -f "^$gpuyard sweep long\.json --out killed" | sed -n "$((1 + try % 3))p")
    # shellcheck disable=SC2015
    [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null && hits=$((hits + 1))
    wait $pid
    ranks 2 sweep long.json --out killed
    is_status 0
    ok cmp whole/results.csv killed/results.csv
done
ok test "$hits" -ge 3
echo "$hits kills of a rank hit"
finish
