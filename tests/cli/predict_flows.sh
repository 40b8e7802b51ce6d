#!/usr/bin/env bash
# gpuyard predict flows: two flows on a link by hand, links with rates and latency of their own, and what is refused.
. "$(dirname "$0")/lib.sh"

printf 'flow,bytes,start_s,links,note\na,1e9,0,l1,x\nb,2GB,0,l1;l2,\nc,1000000000,4,l2,\nd,0,1,,\n' >f.csv
run predict flows f.csv --link-gbps 1 -o -
is_status 0
equal "ends" "$(cat out)" "$(printf 'flow,end_s\na,2\nb,3\nc,5\nd,1')"
printf 'link,gbps,latency_s\nl1,2,0.5\nl2,0.5,\n' >l.csv
run predict flows f.csv --links l.csv --out e.csv.gz
is_status 0
equal "ends with links" "$(gzip -dc e.csv.gz)" "$(printf 'flow,end_s\na,1.166666666667\nb,5\nc,6.5\nd,1')"
equal "load of links" "$(gzip -dc e.links.csv.gz | head -n 2)" "$(printf 'link,bytes,util_mean,util_max\nl1,3000000000,0.23076923076923078,1')"
run predict flows f.csv --links l.csv --json
is_status 0
prints '"model_error": "uncalibrated"'
prints '"util_max"'
run predict flows f.csv --link-gbps 1
prints '4 flows over 2 links, the last ends after 5 s'
run predict flows f.csv
is_status 2
says 'wants --link-gbps or --links'
printf 'link,gbps\nl1,2\n' >one.csv
run predict flows f.csv --links one.csv
is_status 2
says 'f.csv:3: links is "l2"'
printf 'flow,bytes,start_s,links\na,many,0,l1\n' >bad.csv
run predict flows bad.csv --link-gbps 1
is_status 2
says 'bad.csv:2: bytes is "many"'
printf 'flow,bytes\na,1\n' >bad.csv
run predict flows bad.csv --link-gbps 1
is_status 2
says 'no column "links"'
run predict flows missing.csv --link-gbps 1
is_status 2
printf 'link,gbps\nl1,0\nl2,1\n' >dead.csv
run predict flows f.csv --links dead.csv
is_status 0
prints '2 never end'

star=$shared/simgrid/star-1k.csv.gz
if [ -r "$star" ]; then
    run predict flows "$star" --link-gbps 12.5 -o s.csv --quiet
    is_status 0
    worst=$(gzip -dc "$star" | paste -d, s.csv - | awk -F, 'NR > 1 { d = ($2 - $10) / $10; d = d < 0 ? -d : d; if (d > w) w = d } END { print (w <= 1e-6) ? "within" : w }')
    equal "largest difference to SimGrid" "$worst" within
else
    echo "SKIP: $star is not here"
fi
finish
