#!/usr/bin/env bash
# Runs the browser tests: run.sh GPUYARD SOURCE WORK. Skips loudly, and passes, where node, npm, a chromium or the page is
# missing; CI has all of them.
set -u
gpuyard=$1
source=$2
work=$3
skip() {
    echo "SKIP: $*; the HTML report was not opened in a browser"
    exit 0
}
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then skip "no node and npm"; fi
chromium=
for name in chromium chromium-browser google-chrome; do
    chromium=$(command -v "$name") && break
done
[ -n "$chromium" ] || skip "no chromium"
"$gpuyard" report /nonexistent -o /dev/null 2>&1 | grep -q 'without the page' && skip "built without the page"
mkdir -p "$work"
cp "$source/reports/web/package.json" "$source/reports/web/package-lock.json" "$source/reports/web/.npmrc" "$work"
if ! cmp -s "$work/package-lock.json" "$work/installed"; then
    (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) || skip "npm ci failed (see $work/npm.log)"
    cp "$work/package-lock.json" "$work/installed"
fi
set -e
# The types of the page's source, then the page itself.
rm -rf "$work/src"
cp -r "$source/reports/web/src" "$source/reports/web/tsconfig.json" "$work"
"$work/node_modules/.bin/tsc" -p "$work"
GPUYARD=$gpuyard MODULES=$work/node_modules CHROMIUM=$chromium node --test --test-reporter=spec "$source/tests/web/"*.test.mjs
