// The words of raw kernels, after those of a dialect. docs/kernels.md lists them.

// Threads and blocks. A global position counts threads over all blocks along an axis; grid_size() is the number of
// threads along x, the step of a loop over elements.
DEVICE u32 thread_x() { return threadIdx.x; }
DEVICE u32 thread_y() { return threadIdx.y; }
DEVICE u32 thread_z() { return threadIdx.z; }
DEVICE u32 block_y() { return blockIdx.y; }
DEVICE u32 block_z() { return blockIdx.z; }
DEVICE u32 block_size_x() { return blockDim.x; }
DEVICE u32 block_size_y() { return blockDim.y; }
DEVICE u32 block_size_z() { return blockDim.z; }
DEVICE u32 grid_y() { return gridDim.y; }
DEVICE u32 grid_z() { return gridDim.z; }
DEVICE u64 global_x() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
DEVICE u64 global_y() { return (u64)blockIdx.y * blockDim.y + threadIdx.y; }
DEVICE u64 global_z() { return (u64)blockIdx.z * blockDim.z + threadIdx.z; }
DEVICE u64 grid_size() { return (u64)gridDim.x * blockDim.x; }

// The dynamic shared memory of the block, aligned to 16 bytes.
struct alignas(16) ndany_Shared { u64 words[2]; };
template <typename T> DEVICE T* shared_memory() {
    extern __shared__ ndany_Shared ndany_shared[];
    return (T*)ndany_shared;
}

// 16-bit floats convert to f32 and back, rounded to nearest even. Complex numbers have two parts.
struct f16 {
    u16 bits;
    f16() = default;
    DEVICE f16(f32 x) : bits(f32_to_f16(x)) {}
    DEVICE operator f32() const { return f16_to_f32(bits); }
};
struct bf16 {
    u16 bits;
    bf16() = default;
    DEVICE bf16(f32 x) {
        u32 all = __builtin_bit_cast(u32, x);
        bits = x != x ? (u16)0x7fc0 : (u16)((all + 0x7fff + (all >> 16 & 1)) >> 16);
    }
    DEVICE operator f32() const { return __builtin_bit_cast(f32, (u32)bits << 16); }
};
struct c64 { f32 re, im; };
struct c128 { f64 re, im; };

template <typename T> struct ndany_Plain { typedef T type; };
template <typename T> struct ndany_Plain<const T> { typedef T type; };

// An array: `x[i]` in C order, `x(i, j)` by axes where a rank is declared, `x.size`, `x.extent(axis)`, `x.data`.
template <typename T, int RANK, bool STRIDED> struct Array {
    T* data;
    u64 size;
    u64 extents[RANK > 0 ? RANK : 1];
    i64 steps[RANK > 0 ? RANK : 1];
#ifdef NDANY_CHECKED
    u64* error;
    u64 number;
    mutable typename ndany_Plain<T>::type nowhere;
    DEVICE Array(const u64* words, u64* error, u64 number) : error(error), number(number), nowhere() { read(words); }
    // The first access out of bounds is told: argument, position, extent, axis.
    DEVICE T& outside(u64 at, u64 extent, u64 axis) const {
        if (atomic_swap_if(error, (u64)0, number) == 0) {
            error[1] = at;
            error[2] = extent;
            error[3] = axis;
        }
        nowhere = typename ndany_Plain<T>::type();
        return nowhere;
    }
#else
    DEVICE Array(const u64* words) { read(words); }
#endif
    DEVICE void read(const u64* words) {
        data = (T*)words[0];
        size = words[1];
#pragma unroll
        for (int axis = 0; axis < RANK; axis++) extents[axis] = words[2 + axis];
        if (STRIDED) {
#pragma unroll
            for (int axis = 0; axis < RANK; axis++) steps[axis] = (i64)words[2 + RANK + axis];
        } else {
            i64 step = 1;
#pragma unroll
            for (int axis = RANK - 1; axis >= 0; axis--) {
                steps[axis] = step;
                step *= (i64)extents[axis];
            }
        }
    }
    DEVICE u64 extent(int axis) const { return extents[axis]; }
    DEVICE T& operator[](u64 at) const {
#ifdef NDANY_CHECKED
        if (at >= size) return outside(at, size, 0);
#endif
        if (!STRIDED) return data[at];
        i64 offset = 0;
#pragma unroll
        for (int axis = RANK - 1; axis >= 0; axis--) {
            offset += (i64)(at % extents[axis]) * steps[axis];
            at /= extents[axis];
        }
        return data[offset];
    }
    template <typename... Index> DEVICE T& operator()(Index... index) const {
        static_assert(sizeof...(Index) == RANK, "as many positions as the array's rank");
        const i64 at[] = {(i64)index...};
        i64 offset = 0;
#pragma unroll
        for (int axis = 0; axis < RANK; axis++) {
#ifdef NDANY_CHECKED
            if ((u64)at[axis] >= extents[axis]) return outside((u64)at[axis], extents[axis], axis + 1);
#endif
            offset += at[axis] * steps[axis];
        }
        return data[offset];
    }
};

// What a thread does that waits for other blocks.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define NDANY_PAUSE() __nanosleep(64)
#elif defined(__CUDA_ARCH__)
#define NDANY_PAUSE() ((void)0)
#else
#define NDANY_PAUSE() __builtin_amdgcn_s_sleep(2)
#endif

// Waits until every thread of the grid is here; what was written before is seen after it. The words are zeros before
// the launch: the number of blocks that are here, and how many barriers there were.
DEVICE void ndany_grid_barrier(u32* words) {
    __syncthreads();
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
        volatile u32* turns = words + 1;
        const u32 blocks = gridDim.x * gridDim.y * gridDim.z, turn = *turns;
        __threadfence();
        if (atomic_add(words, 1) == blocks - 1) {
            *(volatile u32*)words = 0;
            __threadfence();
            *turns = turn + 1;
        } else {
            while (*turns == turn) NDANY_PAUSE();
        }
        __threadfence();
    }
    __syncthreads();
}
