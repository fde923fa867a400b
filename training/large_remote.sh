#!/usr/bin/env bash
# Trains the adapters on a machine with one GPU. Run it in the root of the repository, detached, while files still come.
#
# usage: bash training/large_remote.sh WORK SECONDS
#
# WORK is what large_prepare.sh wrote; asked.npz (large_calibrate.py) is in WORK/d. The small network starts when
# WORK/d/ready is there, the large one when WORK/base/ready is there too; the large one ends SECONDS after the start of
# this script. WORK/d/start.npz is the adapter to go on from, if there is one. Results are in WORK/r: small-0.npz …,
# large.npz, with a log and figures.json of each; WORK/r/done appears when all is done.
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
until_there() { while [ ! -e "$1" ]; do sleep 1; done; }
keep() { # NAME: the adapter and its figures at the top of the results, as small files
    cp "$work/r/$1/adapter_float.npz" "$work/r/$1.npz"
    tar cf "$work/r/$1.tar" -C "$work/r/$1" figures.json $(cd "$work/r/$1" && ls ./*-said.npz)
}

until_there "$work/d/ready"
(
    number=0
    for run in ${RUNS:-12:1e-3 32:1e-3}; do # rank and rate
        python3 -m training.low_rank --small "$work/small" --data "$work/d" --out "$work/r/small-$number" \
            --rank "${run%:*}" --rate "${run#*:}" --head 1 --seconds "${SMALL:-260}" --budget 24576 \
            >"$work/r/small-$number.log" 2>&1 &&
            keep "small-$number"
        number=$((number + 1))
    done
) &
until_there "$work/base/ready"
start=()
[ -e "$work/d/start.npz" ] && start=(--start "$work/d/start.npz")
python3 -m training.low_rank --qwen "$work/base" --data "$work/d" --out "$work/r/large" "${start[@]}" \
    --rate "${RATE:-2.5e-4}" --every "${EVERY:-3}" --until "$until" --compile --few >"$work/r/large.log" 2>&1 && keep large
wait
touch "$work/r/done"
