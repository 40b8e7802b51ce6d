#!/usr/bin/env bash
# gpuyard init: scenarios from a slurm.conf, Kubernetes nodes, options and questions; and the README's walk to a plan.
. "$(dirname "$0")/lib.sh"
printf 'job_id,submit_s,duration_s,gpus\na,0,100,1\n' >t.csv

# ---- the README's four commands, as they stand there
mkdir bin
ln -s "$gpuyard" bin/gpuyard
ln -s "$root/scenarios" scenarios
PATH=$tmp/bin:$PATH
# shellcheck disable=SC2016 # a fence of Markdown
awk '/<!-- walk -->/ { on = 1 } /<!-- end -->/ { on = 0 } on' "$root/README.md" | sed -n '/^```sh/,/^```$/p' | sed '1d;$d' >walk.sh
equal "commands in the walk" "$(wc -l <walk.sh)" 4
last="the README's walk"
bash -e walk.sh >out 2>err
status=$?
is_status 0
prints '^answer +/cluster/nodes/0/count = 17$'
prints '12h17m'
ok grep -q '^  // ' site.json
run init --slurm-conf scenarios/slurm-example/slurm.conf --trace t.csv --out site.json
is_status 2
says 'is there already; --force'
run init --slurm-conf scenarios/slurm-example/slurm.conf --trace t.csv --out site.json --force
is_status 0

# ---- slurm.conf: alike nodes are one group, partitions of a part keep their list
cat >slurm.conf <<'CONF'
NodeName=n[08-11],x CPUs=8 Gres=gpu:4
NodeName=big CPUs=16 Gres=gpu:h100:8
PartitionName=all Nodes=ALL
PartitionName=some Nodes=n[08-09]
Frobnicate=yes
CONF
run init --slurm-conf slurm.conf --trace t.csv --out a.json
is_status 0
ok grep -q '"name": "n\[08-11\],x"' a.json
ok grep -q '"count": 5' a.json
ok grep -q '"nodes": "n\[08-09\]"' a.json
ok grep -q '"Frobnicate"' a.json
run validate a.json
is_status 0
prints '6 nodes, 28 GPUs'
run run a.json --set cluster.nodes.0.count=7
is_status 2 # "x" has no number to go on from: said, not guessed
says 'cannot be continued'

cp slurm.conf 1 # a name that JSON would take for a number
run init --slurm-conf 1 --trace t.csv
is_status 0
prints '"count": 5'

# ---- Kubernetes nodes, JSON and YAML
cat >nodes.json <<'JSON'
{"apiVersion": "v1", "kind": "List", "items": [
 {"kind": "Node", "metadata": {"name": "gpu-1", "labels": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB", "nvidia.com/gpu.memory": "81920", "kubernetes.io/hostname": "gpu-1", "zone": "a"}},
  "spec": {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]},
  "status": {"capacity": {"cpu": "96", "memory": "1056Gi", "nvidia.com/gpu": "8"}, "allocatable": {"cpu": "95500m", "memory": "1050Gi", "nvidia.com/gpu": "8"}}},
 {"kind": "Node", "metadata": {"name": "gpu-2", "labels": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB", "nvidia.com/gpu.memory": "81920", "kubernetes.io/hostname": "gpu-2", "zone": "a"}},
  "spec": {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]},
  "status": {"allocatable": {"cpu": "95500m", "memory": "1050Gi", "nvidia.com/gpu": "8"}}},
 {"kind": "Node", "metadata": {"name": "cpu-1"}, "spec": {"unschedulable": true}, "status": {"capacity": {"cpu": 4, "memory": "16384Mi"}}},
 {"kind": "Pod", "metadata": {"name": "p"}}]}
JSON
run init --nodes-file nodes.json --trace t.csv --out k.json
is_status 0
ok grep -q '"name": "gpu-\[1-2\]"' k.json
ok grep -q '"gpu_type": "NVIDIA-A100-SXM4-80GB"' k.json
ok grep -q '"cpus": 95.5' k.json
ok grep -q '"absent": true' k.json
printf '{"cluster": {"nodes_file": "nodes.json"}, "trace": {"path": "t.csv"}}' >kf.json
run validate kf.json
is_status 0
prints '16 GPUs'
cat >nodes.yaml <<'YAML'
# a comment
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {nvidia.com/gpu.count: "2"}}
status:
  capacity: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 2}
---
apiVersion: v1
kind: Node
metadata:
  name: n2
status:
  capacity:
    cpu: "8"
    memory: 65536Mi
    nvidia.com/gpu: "2"
YAML
printf '{"cluster": {"nodes_file": "nodes.yaml"}, "trace": {"path": "t.csv"}}' >y.json
run validate y.json
is_status 0
prints '2 x 2 GPU, 8 CPUs, 64 GiB'
wrong() { # text of the node list, then what must be said
    printf '%s' "$1" >w.yaml
    printf '{"cluster": {"nodes_file": "w.yaml"}, "trace": {"path": "t.csv"}}' >s.json
    run validate s.json
    is_status 2
    shift
    for p in "$@"; do says "$p"; done
}
node='apiVersion: v1
kind: Node
metadata: {name: n1}
'
wrong "${node}status: {capacity: {nvidia.com/mig-1g.5gb: 7}}" 'MIG slices'
wrong "${node}status: {capacity: {nvidia.com/gpu: lots}}" 'nvidia.com/gpu: wanted a quantity' 'lots'
wrong "${node}status: {capacity: {nvidia.com/gpu: -1}}" 'wanted a quantity'
wrong "${node}status: {}" 'allocatable'
wrong 'apiVersion: v1
kind: Pod' 'no object of kind Node'
wrong "${node}status: {capacity: {a: &x 1, b: *x}}" 'w\.yaml:4:.*anchors'
wrong "${node}status: [" 'w\.yaml:'
wrong 'apiVersion: v1
kind: Node
kind: Node' 'w\.yaml'

# ---- options, and what is missing
run init --nodes 4 --hardware dgx-a100 --trace t.csv --preset sjf --name mine
is_status 0
prints '"name": "mine"'
prints '"preset": "sjf"'
cp out h.json
run run h.json --quiet
is_status 0
run init --nodes 4 --hardware dgx-a10 --trace t.csv
is_status 2
says 'did you mean "dgx-a100'
run init --nodes 0 --hardware dgx-a100 --trace t.csv
is_status 2
run init --out none.json
is_status 2
says 'needs --slurm-conf'
run init --nodes 4 --hardware dgx-a100
is_status 2
says '\-\-trace'
run init --slurm-conf nowhere.conf --trace t.csv --out none.json
is_status 2
run init --slurm-conf slurm.conf --nodes-file nodes.json --trace t.csv --out none.json
is_status 2
ok test ! -e none.json

# ---- questions on a terminal
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    last="init on a terminal"
    printf '3\n\nt.csv\nfifo\n' | script -qec "'$gpuyard' init --out asked.json" /dev/null >out 2>err
    ok grep -q '"count": 3' asked.json
    ok grep -q '"hardware": "dgx-a100"' asked.json
    run run asked.json --quiet
    is_status 0
else
    echo "SKIP: no pseudo-terminal; no question was asked on a terminal"
fi
finish
