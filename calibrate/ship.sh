#!/bin/sh
# Makes models/calibrations/*.json out of the public measurement tables, as they are shipped: parameters and provenance,
# no tables. Run from the top of the repository:
#   sh calibrate/ship.sh build/release/gpuyard ../shared/data
# Same inputs, same files, byte for byte.
set -eu
gpuyard=$1
data=$2
out=models/calibrations
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
nccl=$data/nccl
kernels=$data/aiconfigurator

# Everything healthy that the hold-outs may lean on.
"$gpuyard" calibrate import --quiet -o "$work/all.json" "$nccl"/*.txt "$kernels"/*nccl*.csv

ship() { # name, summary, file...
  name=$1
  summary=$2
  shift 2
  "$gpuyard" calibrate import --quiet -o "$work/$name.json" "$@"
  "$gpuyard" calibrate fit --quiet --tolerance 0.05 --name "$name" --summary "$summary" --context "$work/all.json" \
    -o "$out/$name.json" "$work/$name.json"
}

ship v100-edr "V100 SXM2 on InfiniBand EDR, 1 to 16 nodes" "$nccl"/v100_*.txt
ship a100-hdr "A100 on InfiniBand HDR, 1 to 16 nodes, and inside one node" "$nccl"/a100-40g_abci_*.txt \
  "$nccl"/a100_dgx_*.txt "$nccl"/a100_1n8g_*.txt "$nccl"/a100-40g_oci_1n8g_nvlink.txt
ship a100-roce "A100 on RoCE with 16 ports of 100 Gbit/s" "$nccl"/a100-40g_2n16g_roce1600_*.txt
ship a100-efa "A100 on EFA with 4 ports of 100 Gbit/s (p4d, p4de)" "$nccl"/a100-*_p4d*.txt
ship a100-kernels "A100: collectives of 2 to 8 GPUs replayed from graphs, and GEMM" "$kernels"/a100_sxm_nccl*.csv \
  "$kernels"/a100_sxm_gemm_perf.csv
ship h100-ib "H100 on InfiniBand NDR, 2 and 4 nodes, and inside one node" "$nccl"/h100_*n*g_ib3200_*.txt \
  "$nccl"/h100_1n8g_nvlink_290.txt
ship h100-roce "H100 on RoCE with 8 ports of 400 Gbit/s" "$nccl"/h100_2n16g_roce3200_oci.txt
ship h100-efa "H100 on EFA with 32 ports of 100 Gbit/s (p5), and inside one node" "$nccl"/h100_p5_*.txt
ship h100-tcpx "H100 on GPUDirect-TCPX and TCPXO" "$nccl"/h100_a3*.txt
ship h100-kernels "H100: collectives of 2 to 8 GPUs replayed from graphs, and GEMM" "$kernels"/h100_sxm_nccl*.csv \
  "$kernels"/h100_sxm_gemm_perf.csv
ship h200 "H200 on RoCE with 8 ports of 400 Gbit/s, and inside one node" "$nccl"/h200_*.txt "$kernels"/h200_sxm_nccl*.csv
ship b200 "B200 inside one node, one port between two, and GEMM" "$nccl"/b200_1n8g_nvlink_gke.txt \
  "$nccl"/b200_a4_1n2g_allgather.txt "$nccl"/b200_a4_2n2g_1nic_allgather.txt "$kernels"/b200_sxm_nccl*.csv \
  "$kernels"/b200_sxm_gemm_perf.csv
ship b300 "B300 inside one node" "$kernels"/b300_sxm_nccl*.csv
ship gb200-nvl72 "GB200 in an NVL72 domain" "$nccl"/gb200_*.txt "$kernels"/gb200_nccl*.csv
ship gb300-nvl72 "GB300 in an NVL72 domain, 4 to 64 GPUs" "$nccl"/gb300_*.txt "$kernels"/gb300_nccl*.csv
ship mi300x "MI300X inside one node" "$nccl"/mi300x_*.txt
ship t4-efa "T4 on EFA, one GPU a node" "$nccl"/t4_*.txt
ship rtx-pro-6000 "RTX PRO 6000 over PCI Express inside one node" "$kernels"/rtx_pro_6000_server_nccl*.csv
