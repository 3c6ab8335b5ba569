#!/usr/bin/env bash
# For the jobs beside it: steps, which end the job when one fails, and a report of how long each took.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
export CI=true
# Of every build that make starts: other flags mean building everything anew.
export SWIFT_FLAGS="-Xswiftc -warnings-as-errors"

steps=()
report() { printf '%6s s  %s\n' "${steps[@]}"; }

# step NAME COMMAND...
step() {
  local name="$1" start=$SECONDS
  shift
  printf '\n=== %s\n' "$name"
  if ! "$@"; then
    steps+=("$((SECONDS - start))" "$name: FAILED")
    printf '\n'
    report
    printf '\nCI FAILED in step: %s\n' "$name"
    exit 1
  fi
  steps+=("$((SECONDS - start))" "$name")
}

passed() {
  printf '\n'
  report
  printf '\nCI passed in %s s\n' "$SECONDS"
}
