#!/usr/bin/env bash
# gpuyard models, predict collective and calibrate: three commands from a log to an answer, and what is refused.
. "$(dirname "$0")/lib.sh"

run models list
is_status 0
prints '^hardware$'
prints '^  hgx-h100 .*p5\.48xlarge'
run models show dgx-a100
is_status 0
prints 'bf16_tflops +312  \[NVIDIA A100'
run models show dgx-a10
is_status 2
says 'did you mean "dgx-a100'
run models list --json
is_status 0
prints '"kind": "fabrics"'

# The prior by hand: V100, one node of four, LL ring: 6.6 + 6 x 0.6 = 10.2 us at 8 bytes.
run predict collective --op all_reduce --hardware v100-4x --calibration none --bytes 8 --json
is_status 0
prints '"time_us": 10\.2'
prints '"algorithm": "ring"'
prints '"protocol": "ll"'
prints '"model_error": "uncalibrated"'
run predict collective --op all_reduce --hardware v100-4x --nodes 16 --nics 2 --bytes 32MiB
is_status 0
prints 'systems\), as aistabci' # another's machine: the error of whole systems left out
run predict collective --op all_gather --hardware h100 --gpus-per-node 3,5 --bytes 1GiB --json
is_status 0
prints '"ranks": 8'
prints '"nodes": 2'
run predict collective --op all_reduce --hardware h100 --nodes 5 --bytes 1GiB
is_status 0
run predict collective --op all_reduce --hardware h1000 --bytes 1
is_status 2
says 'did you mean "h[12]00"'
run predict collective --op all_reduce --hardware h100 --nodes 0 --bytes 1
is_status 2
run predict collective --op all_reduce --hardware a100 --algo nvls --bytes 1MiB
is_status 2
says 'NVSwitch'
run predict collective --op all_reduce --hardware h100 --bytes 5parsecs
is_status 2
run predict collective --op all_reduce
is_status 2
says '\-\-hardware'

# A log in the shape of nccl-tests, made up: t = 30 us + S / 100 GB/s over 16 ranks.
{
    echo '# Collective test starting: all_reduce_perf'
    echo '#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong'
    awk 'BEGIN { for (s = 1024; s <= 4294967296; s *= 4) { t = 30 + s / 100000; a = s / t / 1000
        printf "%.0f %.0f float sum -1 %.2f %.2f %.2f 0 %.2f %.2f %.2f 0\n", s, s / 4, t, a, a * 1.875, t, a, a * 1.875 } }'
} >all_reduce_2n16g.log
run calibrate import all_reduce_2n16g.log --hardware h100 --fabric ib-ndr --system mine -o m.json
is_status 0
says '2 nodes of 8 hgx-h100, ib-ndr, 12 rows'
run calibrate fit m.json -o mine.json
is_status 0
says 'held out third'
run predict collective --op all_reduce --hardware h100 --nodes 2 --calibration mine.json --bytes 1GiB --json
is_status 0
prints '"basis": "mine"'
prints '"left_out": "third"'
equal "time at 1 GiB" "$(awk '/time_us/ { printf "%d", $2 / 100 }' out)" 107
run predict collective --op all_reduce --hardware h100 --nodes 3 --calibration mine.json --bytes 1GiB
is_status 0
prints 'not measured \(node counts\), as mine' # one count says nothing about others
run calibrate validate mine.json all_reduce_2n16g.log
says 'GPU is not known'
run calibrate validate mine.json all_reduce_2n16g.log --hardware h100 --fabric ib-ndr --plot e.svg
is_status 0
prints '^all_reduce +64 KiB and up'
ok grep -q '</svg>' e.svg
run calibrate validate mine.json m.json --json --hold-out third
is_status 0
prints '"systems"'
run calibrate fit m.json -o again.json
ok cmp mine.json again.json

# The picture leaves out what the table leaves out.
run calibrate validate mine.json m.json --hold-out system --plot s.svg
is_status 0
ok grep -q 'this system left out' s.svg
run calibrate validate mine.json m.json --hold-out third --plot t.svg
is_status 0
equal "residuals drawn, of the 12 sizes" "$(grep -o "class='r'" t.svg | wc -l)" 4
curve() { grep -o "class='c' points='[^']*" "$1"; }
ok test "$(curve e.svg)" != "$(curve s.svg)"

# Cut inside the last line: a lone size, and one half of two; and a run that computed wrong.
head -n 9 all_reduce_2n16g.log | sed '$s/ .*//' | head -c -1 >cut.log
run calibrate import cut.log --nodes 2 --gpus-per-node 8 -o none.json
is_status 2
says 'cut\.log:9: .*cut short'
head -n 9 all_reduce_2n16g.log | sed '$s/ 0 .*/ 0/' | head -c -1 >cut.log
run calibrate import cut.log --nodes 2 --gpus-per-node 8 -o none.json
is_status 2
says 'cut\.log:9: .*cut short'
sed '9s/ 0 / 7 /' all_reduce_2n16g.log >wrong.log
run calibrate import wrong.log --nodes 2 --gpus-per-node 8 -o none.json
is_status 2
says 'wrong\.log:9: 7 wrong results'
ok test ! -e none.json

head -n 9 all_reduce_2n16g.log | sed '$s/float.*/float sum/' >cut.log
run calibrate import cut.log --nodes 2 --gpus-per-node 8
is_status 2
says 'cut\.log:9: .*cut short'
run calibrate import all_reduce_2n16g.log --nodes 4 --gpus-per-node 8
is_status 2
says 'busbw'
echo 'Segmentation fault' >dead.log
run calibrate import dead.log -o none.json
is_status 2
ok test ! -e none.json
printf 'a\nb\0c\n' >binary.log
run calibrate import binary.log -o none.json
is_status 2
says 'binary\.log:2: a binary file'
: >empty.log
run calibrate import empty.log -o none.json
is_status 2
says 'empty\.log:1: '

# Few GEMM shapes are left out with a word; they don't cost the collectives.
{
    echo 'gemm_dtype,m,n,k,latency'
    for m in 64 128 256 512; do echo "bfloat16,$m,4096,4096,0.02"; done
} >h100_sxm_gemm_perf.csv
run calibrate import all_reduce_2n16g.log h100_sxm_gemm_perf.csv --hardware h100 --fabric ib-ndr --system mine -o both.json
is_status 0
run calibrate fit both.json -o fitted.json
is_status 0
says '4 GEMM shapes of .*, at least 54 are needed'

# Two and four nodes: the four predicted from the two.
for nodes in 2 4; do
    awk -v n=$((nodes * 8)) '/^[0-9]/ { $8 = $12 = sprintf("%.2f", $7 * 2 * (n - 1) / n) } { print }' all_reduce_2n16g.log >n$nodes.log
    run calibrate import n$nodes.log --hardware h100 --fabric ib-ndr --system mine --nodes $nodes --gpus-per-node 8 -o n$nodes.json
    is_status 0
done
run calibrate fit n2.json n4.json -o nodes.json
is_status 0
says 'held out nodes    times 2'
run calibrate validate nodes.json n2.json n4.json --hold-out nodes2 --json
is_status 0
prints '"rows": 9,' # those of four nodes, of 64 KiB and more
run predict collective --op all_reduce --hardware h100 --nodes 3 --calibration nodes.json --bytes 1GiB --json
is_status 0
prints '"left_out": "nodes"'

run calibrate fit dead.log -o none.json
is_status 2
run calibrate validate nowhere m.json
is_status 2
run calibrate validate mine.json m.json --hold-out everything
is_status 2
says 'none, prior, system, third, nodes2 or nodes4'

finish
