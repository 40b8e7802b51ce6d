#!/usr/bin/env bash
# keys.sh BINARY [--check]: renews (or compares) the table of keys in scenarios/README.md, and renews the
# verbs and what ./dev demo shows in README.md.
set -euo pipefail
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$binary" schema scenario --keys >"$tmp/keys"
"$binary" help | awk -F '   *' '/^  [a-z]/ && $2 !~ /^help/ { printf "| `gpuyard %s` | %s |\n", $2, $3 }' >"$tmp/verbs"

# The lines between "<!-- NAME -->" and "<!-- end -->" become the file's.
renew() { # file, name, lines
    awk -v name="<!-- $2 -->" -v from="$3" '
        $0 == name { print; print ""; while ((getline line < from) > 0) print line; print ""; skip = 1; next }
        $0 == "<!-- end -->" { skip = 0 }
        !skip { print }' "$1" >"$tmp/new"
    if [ "${check-}" = 1 ]; then
        diff -u "$1" "$tmp/new" || { echo "$1: run tests/tools/keys.sh BINARY"; exit 1; }
    else
        cat "$tmp/new" >"$1"
    fi
}
[ "${2-}" != --check ] || check=1
renew scenarios/README.md keys "$tmp/keys"
if [ "${check-}" != 1 ]; then
    { printf '| verb | does |\n| --- | --- |\n'; cat "$tmp/verbs"; } >"$tmp/table"
    renew README.md verbs "$tmp/table"
    { echo '```'; "$binary" run scenarios/quickstart.json; echo '```'; } >"$tmp/demo"
    renew README.md demo "$tmp/demo"
fi
