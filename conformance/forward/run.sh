#!/usr/bin/env bash
# The ROCm backend on an NVIDIA card by way of CUDA, on a machine without cargo:
#
#     conformance/forward/run.sh golden FOLDER [OPTION ..]    golden cases on cuda:0 and hip:0, both against the reference
#     conformance/forward/run.sh bench FOLDER [WORDS]         hip:0 against cuda:0 in one process, in turn; twice, see below
#     conformance/forward/run.sh endurance FOLDER             hip:0 under pressure
#
# FOLDER has the built programs ndany-conformance, xtask, gpu_workloads and endurance, and `forward/` with what
# `cargo xtask forward` made. Options are the runner's, WORDS choose workloads. Reports go into OUT (default: FOLDER). The
# bench runs HIP's text as it is, and with the card's own extremes of two f32, which CUDA's text has.
set -euo pipefail
job=${1:?usage: run.sh golden|bench|endurance FOLDER}
programs=$(realpath "${2:?usage: run.sh $job FOLDER}")
shift 2
cd "$(dirname "$0")/../.."
out=${OUT:-$programs}
mkdir -p "$out"
if ! [ -e "$programs/forward/libamdhip64.so.6" ]; then
    echo "no $programs/forward/libamdhip64.so.6: copy target/forward there" >&2
    exit 2
fi

# The same NVRTC for both backends: a toolkit's, or that of Python's packages.
if [ -z "${NDANY_CUDA_LIBRARIES:-}" ]; then
    packages=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null || true)
    for folder in "${CUDA_PATH:-/usr/local/cuda}/lib64" /usr/lib/x86_64-linux-gnu "$packages"/nvidia/cu13/lib \
        "$packages"/nvidia/cuda_nvrtc/lib; do
        if compgen -G "$folder/libnvrtc.so.1[23]" >/dev/null; then
            export NDANY_CUDA_LIBRARIES=$folder
            break
        fi
    done
fi
echo "CUDA's libraries: ${NDANY_CUDA_LIBRARIES:-wherever the loader finds them}"
export NDANY_ROCM_LIBRARIES=$programs/forward
export NDANY_CACHE_DIR=${NDANY_CACHE_DIR:-$(mktemp -d)}

case $job in
    golden)
        "$programs/ndany-conformance" --device cuda:0 --device hip:0 --against reference --cases conformance/golden \
            --known conformance/known-failures.json --jobs "${JOBS:-14}" --mebibytes 16384 --report "$out/forward.html" --json "$out/forward.json" "$@"
        ;;
    bench)
        for extremes in 0 1; do
            echo "== NDANY_FORWARD_EXTREMES=$extremes"
            NDANY_FORWARD_EXTREMES=$extremes "$programs/xtask" bench --device hip:0 --peer cuda:0 \
                --binary "$programs/gpu_workloads" ${1:+--only "$1"} --out "$out/bench-$extremes"
        done
        ;;
    endurance)
        "$programs/endurance" --device hip:0
        ;;
    *)
        echo "no job $job: there are golden, bench and endurance" >&2
        exit 2
        ;;
esac
