#!/usr/bin/env bash
# gpuyard-probe as it stands on a machine without a GPU: help, lists, the plan, and a refusal that leaves no file.
. "$(dirname "$0")/../lib.sh"

run --version
is_status 0
prints '^gpuyard-probe [0-9]+\.[0-9]+\.[0-9]+$'
equal "standard error" "$(cat err)" ""
for h in --help -h; do
    run $h
    is_status 0
    prints '^Usage: gpuyard-probe'
    prints '^  --assume-gpus N'
done
run --list
is_status 0
prints '^collective +NCCL'
prints '^gemm '
equal "families" "$(wc -l <out)" 11
run --libraries
is_status 0
prints '^cuda +runtime [0-9]+\.[0-9]+, linked'
prints '^nccl +'

run --dry-run --assume-gpus 8
is_status 0
prints '^plan \(quick\) for 1 node of 8 GPUs'
prints '^  collective +360 points, the last: send_recv of 1073741824 bytes on 1 × 2 GPUs'
prints 'do not fit into 100 s are skipped'
run --dry-run --full --assume-gpus 8 --verbose --only collective
is_status 0
prints '^    all_reduce of 8 bytes on 1 × 8 GPUs from 0$'
prints '^    all_reduce of 8589934592 bytes on 1 × 8 GPUs from 0, in place$'
prints '^    send_recv of 8 bytes on 1 × 2 GPUs from 6$'
prints '^    all_to_all of 64 bytes on 1 × 4 GPUs from 0$'
run --dry-run --assume-gpus 4 --assume-nodes 3 --only collective --verbose
is_status 0
prints 'bytes on 3 × 4 GPUs'
prints 'bytes on 2 × 1 GPUs'
run --dry-run --assume-gpus 1
is_status 0
prints 'links are not measured'
prints 'peer_copy: left out: one GPU'

run --qiuck
is_status 2
says 'unknown option --qiuck; did you mean --quick\?'
run --dry-run --assume-gpus 8 --only gem
is_status 2
says 'unknown family "gem"; did you mean gemm\?'
run --assume-gpus 8
is_status 2
says 'go with --dry-run only'
run --dry-run --assume-gpus 65
is_status 2

if [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; then
    echo "SKIP: this machine has a GPU; the refusal without one is not tested"
else
    run --out probe.json
    is_status 3
    says 'no GPU'
    says '--dry-run --assume-gpus 8'
    equal "files left" "$(ls)" "$(printf 'err\nout')"
    run --dry-run
    is_status 3
    says 'no GPU to plan for'
fi
finish
