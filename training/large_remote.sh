#!/usr/bin/env bash
# Trains the adapter on a machine with one GPU. Run it in the root of the repository, detached, while files still come.
#
# usage: bash training/large_remote.sh WORK SECONDS
#
# WORK is what large_prepare.sh wrote. Training starts when WORK/base/ready is there, and ends SECONDS after the start of
# this script. WORK/d/start.npz is the adapter to go on from, if there is one. WORK/r/large has the adapter as it was at
# the last look, and at the end what it says to the lines of asked.npz; WORK/r/done appears when all is done.
set -u
if [ $# -ne 2 ]; then
    echo "usage: bash training/large_remote.sh WORK SECONDS" >&2
    exit 2
fi
work=$1
until=$(($(date +%s) + $2))
export PYTHONPATH=src:.:${EXTRA:-} PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false OMP_NUM_THREADS=4
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
mkdir -p "$work/r"
while [ ! -e "$work/base/ready" ]; do sleep 1; done
start=()
[ -e "$work/d/start.npz" ] && start=(--start "$work/d/start.npz")
python3 -m training.low_rank --qwen "$work/base" --data "$work/d" --out "$work/r/large" "${start[@]}" --look 300 \
    --rate "${RATE:-2.5e-4}" --every "${EVERY:-3}" --until "$until" --compile --few >"$work/r/large.log" 2>&1
touch "$work/r/done"
