# common.sh - what the cases of all frameworks share; for bash, sourced. Makes $work, an emulated GPU of $DEVICE and a region in
# $work/run; all of it is removed at the end, and so are the programs that still run.
# shellcheck shell=bash
frameworks=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$frameworks/../.." && pwd)
emulator=$root/lab/gpu-emulator/target/native
schedgpu=$root/node-agent/target/schedgpu
readonly LIMIT=600 EMULATED="EMULATED GPU of $DEVICE; emulated mathematics: results are meaningless, memory is real"

for file in "$emulator/libcudart.so.13" "$schedgpu"; do
  [ -e "$file" ] || { echo "frameworks: $file is missing: run make build" >&2; exit 1; }
done
work=$(mktemp -d)
output=${FRAMEWORKS_OUTPUT:-$work/output}
mkdir -p "$output" "$work/run"
trap 'end_all; remove_region; rm -rf "$work"' EXIT
remove_region() { # a region outlives its jobs, and its folder names it
  sed -n 's/^shmid //p' "$work/run/region" 2>/dev/null | xargs -r ipcrm -m || true
}
end_all() {
  local pids
  pids=$(jobs -p)
  # shellcheck disable=SC2086  # one word for each
  [ -z "$pids" ] || kill $pids 2>/dev/null || true
  wait
}

export EMULATED_GPU_STATE=$work/gpu EMULATED_GPU_COUNT=1 EMULATED_GPU_MEM=$DEVICE LD_LIBRARY_PATH=$emulator
unset CUDA_VISIBLE_DEVICES EMULATED_GPU_CONTEXT

failures=0
row() { # CASE RESULT
  printf '| %-58s | %-86s |\n' "$1" "$2"
}
wrong() { # CASE RESULT FILE: what happened instead, and the program's output
  failures=$((failures + 1))
  row "$1" "NOT AS IT SHOULD BE: $2 (its output is on stderr)"
  sed "s/^/  /" "$3" >&2
}
# alone NAME COMMAND...: a program without schedGPU; its output goes to NAME.log.
alone() {
  local name=$1
  shift
  timeout "$LIMIT" "$@" >"$output/$name.log" 2>&1
}
# job MEM NAME COMMAND...: the same as a job of schedGPU; options may follow MEM in its word. 1 also if it ran unscheduled.
job() {
  local mem name=$2 status=0
  read -ra mem <<<"$1"
  shift 2
  timeout "$LIMIT" "$schedgpu" run --run-dir "$work/run" --mem "${mem[@]}" -- "$@" >"$output/$name.log" 2>&1 || status=$?
  if grep -q "is run unscheduled" "$output/$name.log"; then return 1; fi
  return $status
}
# said NAME TEXT PID: waits until the program has said it, or has ended.
said() {
  while ! grep -q "$2" "$output/$1.log" 2>/dev/null; do
    kill -0 "$3" 2>/dev/null || return 1
    sleep 0.1
  done
}
# waits PID: waits until a job waits for memory; 1 if the process ended before.
waits() {
  while kill -0 "$1" 2>/dev/null; do
    if "$schedgpu" status --run-dir "$work/run" 2>/dev/null | grep -q ', 1 waiting'; then return 0; fi
    sleep 0.2
  done
  return 1
}
ends() { # STATUS: as its user's program ends
  [ "$1" -eq 0 ] && echo "ends" || echo "dies, status $1"
}
# pair PROGRAM HOW TEXT: two at once, as `PROGRAM HOW NAME [UNTIL]`: the second starts when the first has said TEXT, and the first ends
# when the second waits for memory or has ended. Sets first and second to how they ended, and waited.
pair() {
  local program=$1 how=$2 text=$3 pid other
  first=0 second=0 waited=yes
  "$program" "$how" first "$work/enough" &
  pid=$!
  said first "$text" $pid || true
  "$program" "$how" second &
  other=$!
  waits $other || waited=no
  touch "$work/enough"
  wait $pid || first=$?
  wait $other || second=$?
  rm "$work/enough"
}
# one_of_two_dies MESSAGE, both_end: what a pair did.
one_of_two_dies() {
  if [ "$first" -eq 0 ] && [ "$second" -ne 0 ] && grep -q "$1" "$output/second.log"; then
    row "$case" "the first ends, the second dies: $1"
  else wrong "$case" "first $(ends "$first"), second $(ends "$second")" "$output/second.log"; fi
}
both_end() {
  if [ "$first" -eq 0 ] && [ "$second" -eq 0 ] && [ "$waited" = yes ]; then row "$case" "both end; the second waited for the first"; else
    wrong "$case" "first $(ends "$first"), second $(ends "$second"), waited: $waited" "$output/second.log"
  fi
}
# The name of each case in the table, if its function does not have it.
declare -A title
# run_cases TITLE CASE...: the table.
run_cases() {
  echo "$1; $(date -u +%F)"
  echo "$EMULATED"
  echo
  shift
  row "case" "what happens"
  row "---" "---"
  local name case
  for name; do
    case=${title[$name]:-}
    "$name"
  done
  [ $failures -eq 0 ] || { echo "frameworks: $failures rows are not as they should be" >&2; exit 1; }
}
