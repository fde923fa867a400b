#!/bin/sh
# Runs the help desk's suites and writes a report. No key, no server.
# A target that answers badly is the point of a demo, so "quality failed" (exit code 1) is a good end here.
set -u
proctor=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")" || exit 2
mkdir -p out

targets="--target agent"
if "$proctor" models list | grep -q '^smollm2[[:space:]]*yes'; then
    targets="$targets --target prompt"
fi

"$proctor" run orders
code=$?
[ "$code" -le 1 ] || exit "$code"
# shellcheck disable=SC2086
"$proctor" run desk $targets -o out/report.html
code=$?
[ "$code" -le 1 ] || exit "$code"
echo
echo "The report: examples/help_desk/out/report.html"
echo "Next: cd examples/help_desk && $proctor show last"
