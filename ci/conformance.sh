#!/usr/bin/env bash
# The conformance suite on every device of this machine, whatever its vendor: one report, differences first.
# For a machine of yours with GPUs; it needs Rust, and of the vendors only what their cards need to run.
#   ci/conformance.sh [FOLDER] [OPTION ..]
# report.html and report.json go into FOLDER (default: target/conformance); options are the runner's (--every 10).
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-target/conformance}
shift || true
mkdir -p "$out"

# Programs that are built already lie in the folder NDANY_BUILT; without it, cargo builds them.
info=(cargo run --release --quiet --example info)
runner=(cargo run --release -p ndany-conformance --)
if [ -n "${NDANY_BUILT:-}" ]; then
    info=("$NDANY_BUILT/examples/info")
    runner=("$NDANY_BUILT/ndany-conformance")
fi

# Which devices and libraries there are, and why others are missing: the first thing to read when something fails.
"${info[@]}"

# A GPU that this job is about must be there: without this line a machine that lost its driver would pass on the CPU.
if [ -n "${EXPECT_DEVICE:-}" ]; then
    # Read to its end: a pipe that closes early fails whoever still writes.
    there=$("${info[@]}")
    grep --quiet --fixed-strings "  $EXPECT_DEVICE: " <<<"$there" ||
        { echo "no device $EXPECT_DEVICE on this machine" >&2; exit 1; }
fi

# One process a device may take a whole GPU; the reference says what is right.
"${runner[@]}" --device all --against reference \
    --report "$out/report.html" --json "$out/report.json" "$@"
