#!/usr/bin/env bash
# The kernels under NVIDIA's compute-sanitizer, on a GPU and without cargo:
#
#     conformance/sanitize.sh RUNNER PLANTED [CASES]
#
# RUNNER is the built ndany-conformance, PLANTED the built example `planted` of backend-cuda, CASES a folder of golden
# cases (else the project's own beside this script). Three tools: memcheck over some 300 cases of all patterns, with a gap
# behind every allocation; racecheck and initcheck over fewer, without what a vendor's library computes. Each must find a
# planted bug first, and nothing in the same kernel without it. Prints the tools' summaries; ends with 1 if something is
# off, 2 if nothing could be run. COMPUTE_SANITIZER names the tool, SANITIZE_LOGS a folder for its logs, and
# SANITIZE_EVERY how many cases of a group one stands for in memcheck (50; four times as many in the other tools).
set -uo pipefail

runner=${1:?usage: sanitize.sh RUNNER PLANTED [CASES]}
planted=${2:?usage: sanitize.sh RUNNER PLANTED [CASES]}
cases=${3:-$(dirname "$0")/golden}
sanitizer=${COMPUTE_SANITIZER:-$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)}
logs=${SANITIZE_LOGS:-$(mktemp -d)}
every=${SANITIZE_EVERY:-50}
mkdir -p "$logs"
if ! [ -x "$sanitizer" ]; then
    echo "no compute-sanitizer: install CUDA's toolkit, or \`pip install nvidia-cuda-sanitizer-api\` and set COMPUTE_SANITIZER" >&2
    exit 2
fi
"$sanitizer" --version | tail -n 1

# Every array an allocation of its own, so that the tools see where it ends and whether it was written.
export NDANY_POOL=direct
export NDANY_CACHE_DIR=$logs/kernels

# Groups of cases: maps and casts, reductions, rows, scans, folds, sorts, searches, moves, random orders, products.
own=(unary/ unary_views/ binary/ binary_views/ elementary/ special/ cast/ where/ into/ creation/ making/ promotion/
    reduction/ reduction_views/ reduction_options/ nan/ short_rows/ long/ median/ quantile/ norm/
    scan/ scans/ ufunc/ ufunc_reduceat/ ufunc_at/ ufunc_at_index/ sort/ partition/ lexsort/ searchsorted/ digitize/
    unique/ sets/ isin/ bincount/ histogram/ histogramdd/ getitem/ setitem/ index_fancy/ index_set/ index_error/
    take_put/ shape/ axes/ join/ manip_edit/ pad/ diff/ interp/)
vendor=(matmul/ products/ einsum/ convolve/)

failed=0
complain() {
    echo "FAILED: $*"
    failed=1
}

# Runs a program under a tool; the logs of its processes are $logs/NAME.*.
under() {
    local name=$1 tool=$2
    shift 2
    local options=(--tool "$tool" --target-processes all --report-api-errors no --log-file "$logs/$name.%p")
    # Without a gap, what lies behind an array may be another one.
    [ "$tool" != memcheck ] || options+=(--padding 512)
    rm -f "$logs/$name".[0-9]*
    "$sanitizer" "${options[@]}" "$@"
}

# The errors that the logs of a run have; nothing if some process did not come to its summary. A log may be of several
# processes.
errors() {
    local name=$1 sum=0 seen=0 count file
    for file in "$logs/$name".[0-9]*; do
        [ -e "$file" ] || return
        count=$(awk '
            /(ERROR|RACECHECK) SUMMARY: [0-9]/ { sub(/.*SUMMARY: /, ""); sum += $1; seen = 1 }
            END { if (seen) print sum + 0 }' "$file")
        # A process that never touched the device has nothing to say.
        if [ -z "$count" ]; then
            grep -q "terminated before first instrumented API call\|No attachable process" "$file" && continue
            return
        fi
        sum=$((sum + count)) seen=1
    done
    [ $seen = 0 ] || echo "$sum"
}

summaries() {
    sed -nE "s/^=+ ((ERROR|RACECHECK) SUMMARY.*)/$1: \1/p" "$logs/$1".[0-9]* | sort | uniq -c | sed 's/^ *\([0-9]*\) /\1 × /'
}

plant() {
    local tool=$1 bug=$2 found
    under "planted-$tool" "$tool" "$planted" "$bug"
    found=$(errors "planted-$tool")
    summaries "planted-$tool"
    [ "${found:-0}" -gt 0 ] || complain "$tool does not find the planted bug $bug (logs: $logs)"
    under "right-$tool" "$tool" "$planted" "right-$bug"
    found=$(errors "right-$tool")
    [ "${found:-none}" = 0 ] || complain "$tool finds ${found:-no summary} where there is no bug"
}

check() {
    local tool=$1 every=$2 found group filters=()
    shift 2
    for group in "$@"; do filters+=(--filter "$group"); done
    rm -f "$logs/$tool.code"
    # The tool's own exit code speaks of itself: the runner's is put aside.
    # shellcheck disable=SC2016
    under "$tool" "$tool" bash -c 'code=$1; shift; "$@"; echo $? >"$code"' run "$logs/$tool.code" \
        "$runner" --device cuda:0 --cases "$cases" --known "$(dirname "$0")/known-failures.json" --jobs 1 --seconds 900 --mebibytes 60000 \
        "${filters[@]}" --every "$every" >"$logs/$tool.report" 2>&1
    tail -n 3 "$logs/$tool.report"
    [ "$(cat "$logs/$tool.code" 2>/dev/null)" = 0 ] || complain "cases fail under $tool (report: $logs/$tool.report)"
    found=$(errors "$tool")
    summaries "$tool"
    [ "${found:-none}" = 0 ] || complain "$tool finds ${found:-no summary of some process} (logs: $logs/$tool.*)"
}

plant memcheck outside
plant racecheck barrier
plant initcheck unwritten

check memcheck "$every" "${own[@]}" "${vendor[@]}"
# What a library does with its own memory is its own.
check racecheck $((every * 4)) "${own[@]}"
# Memory that the suite fills with NaN patterns counts as written.
NDANY_POISON='' check initcheck $((every * 4)) "${own[@]}"

echo "logs: $logs"
exit $failed
