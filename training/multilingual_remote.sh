#!/usr/bin/env bash
# Teaches the multilingual network that ships further, on a machine with one GPU: the large network judges the lines, and
# the small one learns from its answers. Run it in the root of the repository, detached, while files still come.
#
# usage: bash training/multilingual_remote.sh WORK SECONDS
#
# WORK/base    the layers of the large network's base (large_prepare.sh); it starts when WORK/base/ready is there
# WORK/d       lines.npz, adapter.npz (large_ask start), and the rows that multilingual_figures.py measures
# WORK/start   multilingual.npz and multilingual.onnx as they ship
# WORK/r       what comes out; WORK/r/done appears when all is done. Training ends SECONDS after the start.
set -u
if [ $# -ne 2 ]; then
    echo "usage: bash training/multilingual_remote.sh WORK SECONDS" >&2
    exit 2
fi
work=$1
until=$(($(date +%s) + $2))
export PYTHONPATH=src:.:${EXTRA:-} PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false OMP_NUM_THREADS=4
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
mkdir -p "$work/r"
while [ ! -e "$work/base/ready" ]; do sleep 1; done
python3 -m training.large_ask ask --data "$work/d" --qwen "$work/base" --adapter "$work/d/adapter.npz" \
    --out "$work/r/said" --seconds "${ASKING:-170}" --compile >"$work/r/said.log" 2>&1
python3 -m training.multilingual cut --data "$work/d" --qwen "$work/base" --start "$work/start" --teacher "$work/r/said" \
    --out "$work/r/student" --keep "$work/r/keep" --seconds $((until - $(date +%s))) --rate "${RATE:-1.5e-4}" \
    --rounding "${ROUNDING:-0.5}" --compile --few >"$work/r/student.log" 2>&1
touch "$work/r/done"
