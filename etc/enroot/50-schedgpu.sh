#!/usr/bin/env bash
# 50-schedgpu.sh - a hook of Enroot, also under Pyxis: shows a container of a scheduled job what its programs need.
# Install it as /etc/enroot/hooks.d/50-schedgpu.sh, mode 755, on GPU nodes (docs/how-to/containers.md).
set -euo pipefail

# Other containers, and those of mode gate, need nothing.
[ -n "${SCHEDGPU_BINDS-}" ] || exit 0

IFS=, read -ra paths <<<"$SCHEDGPU_BINDS"
for path in "${paths[@]}"; do
  kind='file'
  [ ! -d "$path" ] || kind=dir
  access=ro
  [ "$path" != "${SCHEDGPU_RUN_DIR-}" ] || access=rw
  printf '%s %s none x-create=%s,bind,%s,nosuid,nodev,private\n' "$path" "$path" "$kind" "$access"
done >>"$ENROOT_MOUNTS"

# Pyxis keeps LD_PRELOAD for the tasks and hides it from Enroot: the value for Apptainer is the same.
{
  [ -z "${APPTAINERENV_LD_PRELOAD-}" ] || printf 'LD_PRELOAD=%s\n' "$APPTAINERENV_LD_PRELOAD"
  [ -z "${APPTAINERENV_PYTHONPATH-}" ] || printf 'PYTHONPATH=%s\n' "$APPTAINERENV_PYTHONPATH"
  for name in $(compgen -e SCHEDGPU_) CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER TF_FORCE_GPU_ALLOW_GROWTH \
    XLA_PYTHON_CLIENT_PREALLOCATE; do
    [ -z "${!name-}" ] || printf '%s=%s\n' "$name" "${!name}"
  done
} >>"$ENROOT_ENVIRON"
