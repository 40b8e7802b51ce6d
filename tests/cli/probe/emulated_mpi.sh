#!/usr/bin/env bash
# Processes under mpirun on emulated GPUs, each standing for a node: agreement, collectives across, one file, refusals.
. "$(dirname "$0")/../lib.sh"
if ! command -v mpirun >/dev/null || ! "$gpuyard" --libraries | grep -q 'mpi *built in'; then
    echo "SKIP: no mpirun, or a build without MPI"
    exit 0
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader OMPI_MCA_plm_rsh_agent=/bin/false
processes=2
two() {
    mpirun --oversubscribe -n $processes "$gpuyard" "$@" >out 2>err </dev/null
    status=$?
    last="mpirun -n $processes gpuyard-probe $*"
}

two --only launch --only memory --max-bytes 64KiB --force --out probe.json
is_status 0
says '^2 nodes of 1 × Emulated GPU'
ok grep -q '"nodes": 2' probe.json
ok grep -q '"mpi_processes": 2' probe.json
equal "one process measures the kernels" "$(grep -c '"memory_copy"' probe.json)" 1
rm -f probe.json

# Three nodes of two GPUs: 1 × 2, 2 × 1, 2 × 2, 3 × 1 and 3 × 2 ranks, every element checked on every one of them.
processes=3
EMU_GPUS=2 two --only collective --only concurrent --max-bytes 4KiB --force --out probe.json --fabric ib-ndr --quiet
is_status 0
equal "standard error" "$(cat err)" ""
for ranks in 2 3 4 6; do
    ok grep -q "\"ranks\": $ranks,$" probe.json
done
equal "sets" "$(sed -n '/"sets"/,/"gemm"/p' probe.json | grep -c '"op"')" 35
equal "sets over the network" "$(sed -n '/"sets"/,/"gemm"/p' probe.json | grep -c '"fabric": "ib-ndr"')" 28
EMU_GPUS=2 EMU_FAULT=wrong_sum two --only collective --max-bytes 4KiB --force --out broken.json --quiet
ok test "$status" -ne 0
equal "files left" "$(ls | grep -c broken)" 0
rm -f probe.json
processes=2

two --only launch --out probe.json
ok test "$status" -ne 0
says '2 processes on one node: each process measures all GPUs of its node'
equal "files left" "$(ls | grep -c probe)" 0

EMU_FAULT=no_network two --only collective --max-bytes 1KiB --force --out probe.json # a set-up that fails ends every process
ok test "$status" -ne 0
says 'NCCL: setting up communicators'
equal "files left" "$(ls | grep -c probe)" 0
finish
