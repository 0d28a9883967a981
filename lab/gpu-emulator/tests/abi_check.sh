#!/bin/sh
# Compares our declarations with NVIDIA's headers, if there are any. Needs only a C compiler.
set -eu
here=$(dirname "$0")
nvcc=$(command -v nvcc || true)
include=
for folder in ${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda/include; do
  if [ -f "$folder/cuda.h" ]; then include=$folder; fi
done
if [ -z "$nvcc" ] || [ -z "$include" ]; then
  echo "abi_check: skipped: there is no CUDA toolkit on this machine"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for set in OURS THEIRS; do
  ${CC:-cc} -std=gnu11 -D"$set" -DCUDART_VERSION_WANTED=13000 -I"$here/../include" -I"$include" \
    -o "$work/$set" "$here/abi_facts.c"
  "$work/$set" >"$work/$set.txt"
done
diff "$work/OURS.txt" "$work/THEIRS.txt"
echo "abi_check: $(wc -l <"$work/OURS.txt") sizes, offsets and values agree with $include"
