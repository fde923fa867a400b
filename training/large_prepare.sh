#!/usr/bin/env bash
# Writes all that training/low_rank.py needs, from public data, written rows and the base of the large network.
#
# usage: bash training/large_prepare.sh BASE.gguf WORK
#
# WORK/d      rows, lines of tokens (lines.npz, asked.npz), and lines with marks (talks.npz, swaps.npz, …)
# WORK/base   the first 18 layers in parts, and the tokenizer
#
# It takes about ten minutes on two cores. What is already there is not made again.
set -eu
if [ $# -ne 2 ]; then
    echo "usage: bash training/large_prepare.sh BASE.gguf WORK" >&2
    exit 2
fi
gguf=$1
work=$2
shipped=src/proctor/models/local/weights
export PYTHONPATH=src:.
mkdir -p "$work/d" "$work/base"

# once FILE MODULE ARGUMENT...: a module, unless the file that it writes last is there
once() {
    local file=$1 module=$2
    shift 2
    [ -e "$file" ] && return
    echo "$(date +%T) $module $*"
    python3 -m "training.$module" "$@" >"$work/log-$module" 2>&1 || {
        tail -5 "$work/log-$module" >&2
        exit 1
    }
    touch "$file"
}

[ -e "$work/d/entities.jsonl.gz" ] || gzip </dev/null >"$work/d/entities.jsonl.gz"
once "$work/done-pack" pack "$work/d"
once "$work/done-facts" facts "$work/d"
once "$work/done-retune" retune --pack --data "$work/d"
once "$work/done-joined" joined_claims "$work/d"
once "$work/done-guards" guards "$work/d"
once "$work/done-held" held_sets "$work/d"
once "$work/done-whole" qwen "$gguf" "$work/whole"
once "$work/done-base" qwen_layers "$gguf" "$work/whole/tokenizer.json" "$work/d" "$work/base" \
    --like "$shipped/multilingual.tokenizer.json" --layers 18 --size 60000000
once "$work/done-lines" multilingual number --data "$work/d" --qwen "$work/base" --out "$work"
once "$work/done-rows" large_rows "$work/base/tokenizer.json" "$work/d"
once "$work/done-asked" large_calibrate ask "$work/d" "$work/base/tokenizer.json" "$work/d"
echo "$(date +%T) done"
