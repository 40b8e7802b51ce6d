#!/usr/bin/env bash
# Two processes under mpirun on emulated GPUs (NCCL between processes is not emulated): agreement, one file, refusals.
. "$(dirname "$0")/../lib.sh"
if ! command -v mpirun >/dev/null || ! "$gpuyard" --libraries | grep -q 'mpi *built in'; then
    echo "SKIP: no mpirun, or a build without MPI"
    exit 0
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader OMPI_MCA_plm_rsh_agent=/bin/false
two() {
    mpirun --oversubscribe -n 2 "$gpuyard" "$@" >out 2>err </dev/null
    status=$?
    last="mpirun -n 2 gpuyard-probe $*"
}

two --only launch --only memory --max-bytes 64KiB --force --out probe.json
is_status 0
says '^2 nodes of 1 × Emulated GPU'
ok grep -q '"nodes": 2' probe.json
ok grep -q '"mpi_processes": 2' probe.json
equal "one process measures the kernels" "$(grep -c '"memory_copy"' probe.json)" 1
rm -f probe.json

two --only launch --out probe.json
ok test "$status" -ne 0
says '2 processes on one node: each process measures all GPUs of its node'
equal "files left" "$(ls | grep -c probe)" 0

two --only collective --max-bytes 1KiB --force --out probe.json # a set-up that fails ends every process
ok test "$status" -ne 0
says 'NCCL: setting up communicators'
equal "files left" "$(ls | grep -c probe)" 0
finish
