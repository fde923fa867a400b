#!/usr/bin/env bash
# The whole training on one GPU, in order; each step writes a log and the next waits for what it needs.
# usage: remote.sh WORK  (WORK/w holds the weights, WORK/d the packed data; results go to WORK/r)
set -u
work=$1
export PYTHONPATH=src:. PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=true OMP_NUM_THREADS=4
mkdir -p "$work/r"
args=(--weights "$work/w" --data "$work/d" --out "$work/r")
teacher=(--teacher "$work/r/teacher.npz")
python3 -m training.student a "${args[@]}" --steps "${STEPS_A:-1900}" >"$work/r/a.log" 2>&1 &
python3 -m training.teacher --weights "$work/w" --config "$work/w/mpnet" --data "$work/d" --out "$work/r/teacher.npz" \
    --epochs "${EPOCHS_T:-2.2}" >"$work/r/teacher.log" 2>&1
wait
python3 -m training.student b "${args[@]}" "${teacher[@]}" --steps "${STEPS_B:-2600}" >"$work/r/b.log" 2>&1 &
stage_b=$!
for source in deepset hinglish_stealth itw_jailbreak_2023_12 neuralchemy pyrit_tmpl slabs trust_pi xsafety_attack; do
    python3 -m training.finetune injection --without $source "${args[@]}" --steps "${STEPS_I:-500}" >"$work/r/i-$source.log" 2>&1
done &
loso=$!
wait $stage_b
python3 -m training.finetune injection --layers 0,2,4 "${args[@]}" --steps "${STEPS_F:-1600}" >"$work/r/i-final.log" 2>&1 &
python3 -m training.finetune nli "${args[@]}" "${teacher[@]}" --steps "${STEPS_G:-1000}" >"$work/r/g-final.log" 2>&1
wait $loso
for pair in "begin q2" "halueval_qa summedits" "factcheckgpt_stance fm2"; do
    for source in $pair; do
        python3 -m training.finetune nli --without $source "${args[@]}" "${teacher[@]}" --steps "${STEPS_H:-300}" >"$work/r/g-$source.log" 2>&1 &
    done
    wait
done
wait
touch "$work/r/done"
