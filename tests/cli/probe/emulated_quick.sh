#!/usr/bin/env bash
# The whole probe on emulated GPUs: every family runs, every result is checked by the probe, the file is whole.
# Times mean nothing here.
gpuyard_main=$2
. "$(dirname "$0")/../lib.sh"
count() { grep -c "$1" probe.json; }

EMU_GPUS=4 EMU_NAME='NVIDIA H100 80GB HBM3' NCCL_ALGO=Ring run --max-bytes 4KiB --out probe.json --system mine
is_status 0
says '4 × NVIDIA H100 80GB HBM3: best of each kind'
equal "standard output" "$(cat out)" ""
equal "files" "$(ls)" "$(printf 'err\nout\nprobe.json')"
if command -v python3 >/dev/null; then
ok python3 - <<'PY'
import json, math
d = json.load(open('probe.json'))
assert d['format'] == 'gpuyard-measurement-1' and d['kind'] == 'probe' and d['complete'] is True, d['kind']
s = d['systems'][0]
assert s['hardware'] == 'hgx-h100' and s['system'] == 'mine' and s['links_measured'] is True
assert len(s['gpus']) == 4 and len(s['gpu_pairs']) == 12 and s['gpus'][0]['nvlinks_up'] == 4
assert d['provenance']['env'] == {'NCCL_ALGO': 'Ring'} and d['provenance']['driver'] == '580.00'
ops = {'all_reduce', 'all_gather', 'reduce_scatter', 'broadcast', 'reduce', 'all_to_all', 'send_recv'}
seen = {(r['op'], r['ranks'], r['in_place']) for r in d['collectives']}
assert {o for o, _, _ in seen} == ops
assert {n for _, n, _ in seen} == {2, 4}
assert ('all_reduce', 4, True) in seen and ('all_to_all', 4, True) not in seen
for r in d['collectives']:
    assert r['min_us'] <= r['time_us'] <= r['p95_us'] and r['iterations'] >= 2 and r['clock'] == 'wall', r
    factor = {'all_reduce': 2 * (r['ranks'] - 1) / r['ranks'], 'all_gather': (r['ranks'] - 1) / r['ranks'],
              'reduce_scatter': (r['ranks'] - 1) / r['ranks'], 'all_to_all': (r['ranks'] - 1) / r['ranks']}.get(r['op'], 1)
    assert math.isclose(r['algbw_gbps'], r['bytes'] / r['time_us'] / 1e3, rel_tol=1e-9), r
    assert math.isclose(r['busbw_gbps'], r['algbw_gbps'] * factor, rel_tol=1e-9), r
assert len(d['sets']) == 14 and all(x['algo'] == 'ring' for x in d['sets'])
assert {r['dtype'] for r in d['kernels'] if r['kernel'] == 'gemm'} == {'bf16', 'fp16', 'tf32', 'fp8'}
assert d['gemm'] == [] and sum('too few to fit' in s for s in d['skipped']) == 4 # little memory: few shapes
assert {r['kernel'] for r in d['kernels']} >= {'gemm', 'attention'}
assert {r['kind'] for r in d['launches']} == {'kernel_back_to_back', 'kernel_round_trip', 'graph_kernel', 'graph_round_trip'}
assert [r for r in d['power'] if r['work'] == 'idle' and r['readings'] > 20 and 99 < r['power_mean_w'] < 102]
PY
else
    echo "SKIP: no python3; the file's values are not looked at"
fi
if "$gpuyard_main" help calibrate >/dev/null 2>&1; then
    checks=$((checks + 1))
    last="calibrate import"
    "$gpuyard_main" calibrate import probe.json -o m.json >out 2>err || fail "calibrate import reads the file"
    ok grep -q '"all_to_all"' m.json
    checks=$((checks + 1))
    last="calibrate fit"
    "$gpuyard_main" calibrate fit m.json -o c.json >out 2>err || fail "calibrate fit takes what was imported"
else
    echo "SKIP: this build has no calibrate verb; the import of the file is not tested"
fi

# Larger arrays: memory, elementwise, copies, two collectives at once, overlap with products, power under load.
EMU_GPUS=4 EMU_MEMORY=1000000000 run --max-bytes 2MiB --out probe.json --quiet --only memory --only elementwise --only host_copy \
    --only peer_copy --only concurrent
is_status 0
equal "standard error" "$(cat err)" ""
ok test "$(count '"memory_triad"')" -ge 2
ok test "$(count '"layernorm"')" -ge 1
ok test "$(count '"pageable"')" -ge 2
ok test "$(count '"peer_both_ways"')" -eq 3
ok test "$(count '"disjoint_halves"')" -ge 1
ok test "$(count '"same_gpus"')" -ge 1
EMU_GPUS=2 EMU_MEMORY=500000000 run --full --max-bytes 1MiB --out probe.json --quiet --only overlap
is_status 0
ok test "$(count '"hidden"')" -eq 1

# One GPU: no link is measured, and the file says so.
run --max-bytes 1KiB --out probe.json.gz --only collective --only memory
is_status 0
says 'no link between GPUs was measured'
gunzip -f probe.json.gz
ok grep -q '"links_measured": false' probe.json
ok grep -q 'one-rank collectives are local copies' probe.json
ok grep -q '"busbw_gbps": 0' probe.json
equal "sets" "$(grep -A1 '"sets"' probe.json | tr -d ' \n')" '"sets":[],"gemm":[],'

# What this device or the budget does not allow is named, not left out in silence.
EMU_CC=75 run --only gemm --quiet
is_status 0
prints 'fp8 left out: compute capability 7.5'
EMU_FAULT=no_fp8 run --only gemm --quiet
is_status 0
prints 'gemm fp8 .*: cuBLASLt has no kernel for it'
EMU_GPUS=2 run --only collective --only launch --budget 0.01 --max-bytes 1KiB --quiet
is_status 0
prints 'collective: the last [0-9]+ points: the time budget'

# Interrupted: what was measured is written and marked.
EMU_GPUS=2 "$gpuyard" --full --only collective --max-bytes 1MiB --out stop.json --progress always 2>err &
pid=$!
for _ in $(seq 200); do
    [ "$(wc -l <err)" -ge 3 ] && break
    sleep 0.05
done
kill -INT $pid
wait $pid
status=$?
last="interrupt"
is_status 130
ok grep -q '"complete": false' stop.json
ok grep -q '"stopped": "interrupted"' stop.json
ok grep -q '"all_reduce"' stop.json
finish
