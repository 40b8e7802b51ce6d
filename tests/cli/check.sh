#!/usr/bin/env bash
# gpuyard check and compare: thresholds, baselines, tolerances, JUnit, markdown; exit statuses; runs side by side.
. "$(dirname "$0")/lib.sh"

printf 'job_id,submit_s,duration_s,gpus,team\na,0,100,8,x\nb,0,100,8,y\nc,0,100,8,y\nd,0,100,4,y\n' >t.csv
scenario '{"name": "n", "count": 2, "gpus": 8}' '"preset": "fifo"'
run run s.json --out base
run run s.json --set /cluster/nodes/0/count=1 --out small
run run s.json --set /cluster/nodes/0/count=4 --out large

# Thresholds.
echo '[{"metric": "makespan_s", "max": 200}]' >limits.json
run check base --thresholds limits.json --junit j.xml --markdown m.md
is_status 0
prints '1 of 1 checks passed'
run check small --thresholds limits.json --junit j.xml --markdown m.md
is_status 1
ok grep -q '<failure' j.xml
ok grep -q '|' m.md
# Read by a consumer of JUnit files, as CI services do: what passed, what failed, and why.
python=/usr/bin/python3
if $python -c 'import junitparser' 2>/dev/null; then
    run check base --thresholds limits.json --junit pass.xml
    cat >junit.py <<'PY'
import sys
from junitparser import JUnitXml, Failure
seen = []
for name in ("pass.xml", "j.xml"):
    xml = JUnitXml.fromfile(name)
    suites = [xml] if hasattr(xml, "testsuite") or xml._tag == "testsuite" else list(xml)
    cases = [c for s in suites for c in s]
    seen.append((len(cases), sum(isinstance(r, Failure) for c in cases for r in c.result), sum(s.tests for s in suites), sum(s.failures for s in suites), cases[0].name, cases[0].classname))
    if name == "j.xml":
        assert "400" in cases[0].result[0].message and "200" in cases[0].result[0].message, cases[0].result[0].message
assert seen[0][:4] == (1, 0, 1, 0) and seen[1][:4] == (1, 1, 1, 1), seen
assert "makespan_s" in seen[0][4], seen
PY
    ok $python junit.py
else
    echo "SKIP: no junitparser; the JUnit file was read as plain XML only"
fi
if command -v xmllint >/dev/null; then
    ok xmllint --noout j.xml
elif command -v python3 >/dev/null; then
    ok python3 -c 'import xml.dom.minidom as m; d = m.parse("j.xml"); assert len(d.getElementsByTagName("testcase")) == 1'
fi
echo '[{"metric": "makespan", "max": 200}]' >typo.json
run check base --thresholds typo.json
is_status 1
says 'no metric is called makespan; did you mean makespan_s'

# A baseline: written, met, missed in the bad direction only; tolerances stay when it is renewed.
run check base --baseline b.json --update
is_status 0
run check base --baseline b.json
is_status 0
run check small --baseline b.json
is_status 1
run check large --baseline b.json --json
prints '"makespan_s"'
echo '{"format": 1, "metrics": {"makespan_s": {"value": 150, "absolute": 60}}}' >b.json
run check base --baseline b.json
is_status 0
prints '1 of 1 checks passed'
run check large --baseline b.json --update
ok grep -q '"absolute": 60' b.json
run check base --baseline b.json
is_status 1
echo '{"format": 1, "metrics": {"makespan_s": {"valu": 150}}}' >b.json
run check base --baseline b.json
is_status 2
run check base --baseline nowhere.json
is_status 2
run check nowhere --baseline b.json
is_status 2
run check base
is_status 0
says 'nothing was checked'

# Comparing.
run compare base small large
is_status 0
prints 'makespan_s'
run compare base small --markdown
is_status 0
prints '^\|.*makespan_s.*200.*400'
run compare base small --json
is_status 0
prints '"makespan_s"'
run compare base nowhere
is_status 2
run compare base
is_status 2
finish
