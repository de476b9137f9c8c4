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

# The same NVRTC and cuBLAS for both backends: a toolkit's, or those of Python's packages.
if [ -z "${NDANY_CUDA_LIBRARIES:-}" ]; then
    packages=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null || true)
    for folder in "${CUDA_PATH:-/usr/local/cuda}/lib64" "$packages"/nvidia/cu13/lib "$packages"/nvidia/*/lib; do
        if compgen -G "$folder/libnvrtc.so.1[23]" >/dev/null || compgen -G "$folder/libcublas.so.1[23]" >/dev/null; then
            NDANY_CUDA_LIBRARIES=${NDANY_CUDA_LIBRARIES:+$NDANY_CUDA_LIBRARIES:}$folder
        fi
    done
    export NDANY_CUDA_LIBRARIES
fi
echo "CUDA's libraries: ${NDANY_CUDA_LIBRARIES:-wherever the loader finds them}"
export NDANY_ROCM_LIBRARIES=$programs/forward
rocblas=$programs/forward:$programs/forward/rocblas
export NDANY_CACHE_DIR=${NDANY_CACHE_DIR:-$(mktemp -d)}

case $job in
    golden)
        run() {
            local name=$1
            shift
            "$programs/ndany-conformance" --device cuda:0 --device hip:0 --against reference --cases conformance/golden \
                --known conformance/known-failures.json --jobs "${JOBS:-14}" --mebibytes 16384 \
                --report "$out/$name.html" --json "$out/$name.json" "$@"
        }
        # Products by own kernels, as where rocBLAS is missing; then by rocBLAS in front of cuBLAS.
        run forward "$@"
        NDANY_ROCM_LIBRARIES=$rocblas run forward-rocblas --filter matmul/ --filter products/ --filter einsum/
        ;;
    bench)
        for extremes in 0 1; do
            echo "== NDANY_FORWARD_EXTREMES=$extremes"
            NDANY_ROCM_LIBRARIES=$rocblas NDANY_FORWARD_EXTREMES=$extremes "$programs/xtask" bench --device hip:0 --peer cuda:0 \
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
