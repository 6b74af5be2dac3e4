#!/usr/bin/env bash
# Compiles the units of this folder with nvcc, side by side, and runs them.
set -uo pipefail
cd "$(dirname "$0")"
flags="-O2 -w -arch=native -ftz=false -prec-div=true -prec-sqrt=true -fmad=false"
# shellcheck disable=SC2086 # several flags
ls unit_*.cu | xargs -P "$(nproc)" -I{} sh -c "nvcc $flags -o {}.out {} || echo 'does not compile: {}'"
failed=0
for unit in unit_*.cu; do
    echo "$unit"
    "./$unit.out" "${unit%.cu}.bin" || failed=1
done
exit $failed
