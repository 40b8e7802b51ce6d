#!/usr/bin/env bash
# What goes wrong on GPU machines, on emulated GPUs: each a clear message, exit status 3, and no file.
. "$(dirname "$0")/../lib.sh"

# broken TEXT ARGS…: fails with the text and leaves nothing.
broken() {
    text=$1
    shift
    run --out probe.json "$@"
    is_status 3
    says "$text"
    equal "files left" "$(ls | grep -c probe)" 0
}

export EMU_GPUS=2
small="--max-bytes 1KiB --quiet"
EMU_DRIVER=none broken 'no GPU: there is no NVIDIA driver'
EMU_DRIVER=old broken 'driver is too old: it speaks CUDA 11\.2'
EMU_GPUS=0 broken 'finds no device'
EMU_PROCESSES=1 broken 'GPU 0 is busy: 1 other process uses it'
EMU_PROCESSES=3 broken '3 other processes use it; .*--force'
# shellcheck disable=SC2086
{
    EMU_FAULT=wrong_sum broken 'all_reduce of 512 bytes on 2 ranks: wrong result on GPU [01]: 1 of 128 elements, the first at 77: found 21, expected 20' $small --only collective
    EMU_FAULT=wrong_copy broken 'wrong result .*found 6, expected 5' --max-bytes 64KiB --quiet --only memory
    EMU_FAULT=wrong_gemm broken 'gemm: wrong result' $small --only gemm
    EMU_FAULT=no_memory broken 'out of memory.*--max-bytes' --max-bytes 64KiB --quiet --only collective
    EMU_FAULT=lost_rank broken 'NCCL: .*remote process exited.*a rank or a link was lost' $small --only collective
    EMU_FAULT=hang broken 'did not finish within 1 s: a rank is lost' $small --only collective --timeout 1s
    EMU_FAULT=hang_init broken 'setting up NCCL communicators did not come back' $small --only collective --timeout 0.5s
}

# NCCL is needed only for what is asked.
mkdir empty
: >empty/libnccl.so.2
LD_LIBRARY_PATH=$tmp/empty:$LD_LIBRARY_PATH broken 'no NCCL: .*--only memory'
LD_LIBRARY_PATH=$tmp/empty:$LD_LIBRARY_PATH run --only launch --quiet
is_status 0
EMU_PROCESSES=1 run --only launch --force --quiet
is_status 0
prints '"other_processes": 1'

run --only launch --quiet --out nowhere/probe.json
is_status 3
says 'nowhere'
finish
