#!/usr/bin/env bash
# Trains every network on one machine with one GPU, in order. Run it in the root of the repository.
#
# usage: bash training/remote.sh WORK
#
# WORK/w  starting weights: tokenizer.json, table.npz, minilm_body.npz, minilm_words.npz, minilm_tokenizer.json,
#         gte_body.npz, and teacher.npz (what training.teacher wrote)
# WORK/d  packed data: what training.pack and training.entities wrote
# WORK/q  Qwen2.5-Coder-1.5B-Instruct in parts: what training.qwen wrote
# WORK/r  results: *.npz networks, table-int8.npz, grounding-*.npz readings, result-*.json figures, a log for each step
#
# Files may still be on their way when this starts: it waits for WORK/w/ready, WORK/q/ready and
# WORK/d/entities.jsonl.gz. When all is done WORK/r/done appears; a step that failed is named at the end and in its log.
# Stage a and the networks with one injection source left out are not trained again where their results are there.
#
# Seconds of each step, from the environment or from a file WORK/plan (shell assignments, read after stage a):
#   SECONDS_A stage a            SECONDS_I injection, each source left out   SECONDS_T translation
#   SECONDS_Q Qwen as a teacher  SECONDS_J its judgement, at most            SECONDS_B stage b
#   SECONDS_F injection          SECONDS_R reader                            SECONDS_E embed
#   SECONDS_N entailment         SECONDS_H entailment, each source left out
# The defaults are about what the shipped weights had on an H200; several steps share the GPU, as they did then.
set -u
if [ $# -ne 1 ]; then
    echo "usage: bash training/remote.sh WORK" >&2
    exit 2
fi
work=$1
export PYTHONPATH=src:. PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=true OMP_NUM_THREADS=4
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
mkdir -p "$work/r" "$work/q"
rm -f "$work/r/failed" "$work/r/done"
args=(--weights "$work/w" --data "$work/d" --out "$work/r" --teacher "$work/w/teacher.npz")
args+=(--second "$work/r/qwen.npz" --translated "$work/r/translated.jsonl.gz")

until_there() { while [ ! -e "$1" ]; do sleep 1; done; }

# step LOG MODULE ARGUMENT...: one module, its output in a log
step() {
    local log=$1 module=$2
    shift 2
    python3 -m "training.$module" "$@" >"$work/r/$log.log" 2>&1 || echo "$log" >>"$work/r/failed"
}

until_there "$work/w/ready"
[ -e "$work/r/a_table.pt" ] || step a student a "${args[@]}" --seconds "${SECONDS_A:-85}"
for source in deepset hinglish_stealth itw_jailbreak_2023_12 neuralchemy pyrit_tmpl slabs trust_pi xsafety_attack; do
    [ -e "$work/r/result-injection-$source.json" ] ||
        step "i-$source" finetune injection --without "$source" "${args[@]}" --seconds "${SECONDS_I:-13}"
done &
left_out=$!
until_there "$work/q/ready"
# shellcheck source=/dev/null
[ -e "$work/plan" ] && . "$work/plan"
step t translate --qwen "$work/q" --data "$work/d" --out "$work/r/translated.jsonl.gz" --seconds "${SECONDS_T:-140}"
step q qwen_teacher --qwen "$work/q" --data "$work/d" --out "$work/r/qwen.npz" \
    --seconds "${SECONDS_Q:-150}" --judging "${SECONDS_J:-120}" &
judge=$!
step b student b "${args[@]}" --seconds "${SECONDS_B:-290}"
wait "$left_out"
until_there "$work/d/entities.jsonl.gz"
(
    step f-injection finetune injection "${args[@]}" --seconds "${SECONDS_F:-80}"
    step f-reader finetune reader "${args[@]}" --seconds "${SECONDS_R:-60}"
    step f-embed finetune embed "${args[@]}" --seconds "${SECONDS_E:-40}"
) &
wait "$judge" # the entailment networks learn from what it judged
step f-nli finetune nli "${args[@]}" --seconds "${SECONDS_N:-240}" &
for source in begin q2 halueval_qa summedits factcheckgpt_stance fm2; do
    step "g-$source" finetune nli --without "$source" "${args[@]}" --seconds "${SECONDS_H:-26}"
done
wait
touch "$work/r/done"
if [ -e "$work/r/failed" ]; then
    echo "failed: $(paste -sd' ' "$work/r/failed"); the reason is in the log of each, in $work/r" >&2
    exit 1
fi
