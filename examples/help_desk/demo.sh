#!/bin/sh
# Runs the help desk's suites and writes a report. No key, no server.
# A target that answers badly is the point of a demo, so "quality failed" (exit code 1) is a good end here.
set -u
proctor=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")" || exit 2
mkdir -p out

targets="--target agent"
who="the example agent"
if "$proctor" models list | grep -q '^smollm2[[:space:]]*yes'; then
    targets="$targets --target prompt"
    who="the example agent, which knows few words, and a very small local model"
fi

"$proctor" run orders
code=$?
[ "$code" -le 1 ] || exit "$code"
# shellcheck disable=SC2086
"$proctor" run desk $targets -o out/report.html
code=$?
[ "$code" -le 1 ] || exit "$code"
echo
echo "The demo is done, and Proctor works here."
if [ "$code" -eq 1 ]; then
    echo "FAILED is the grade of the answers that were tested, not of the installation:"
    echo "$who gave answers that the tests refuse."
    echo "In CI this would stop a release: \`proctor run\` ended with exit code 1."
fi
echo "  read every answer and why it failed:  examples/help_desk/out/report.html"
echo "  the same in the terminal:             cd examples/help_desk && $proctor show last"
echo "  a project of your own:                $proctor init"
