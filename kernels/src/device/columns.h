// Reductions of columns: neighbouring threads have neighbouring rows of the plan, and each holds several of a chunk's
// lanes.

// Lanes that pass through shared memory at once: as many as small states allow.
template <typename S> struct Batch { static const u32 lanes = sizeof(S) <= 8 ? 16 : 4; };

// The shared memory in which a block of ACROSS by DOWN threads combines its lanes.
template <typename S, int ACROSS, int DOWN> struct Stack { S at[DOWN > 1 ? DOWN / 2 * Batch<S>::lanes * ACROSS : 1]; };

// The threads of the first line get, in held[0], the combination of the `count` lanes of their column that hold
// something. Thread line y has the lanes y * HELD ... .
template <typename S, int ACROSS, int DOWN, int HELD>
DEVICE void fold_lanes(S (&held)[HELD], u32 x, u32 y, u32 count, Stack<S, ACROSS, DOWN>& stack, u64& error) {
    const u32 first = y * HELD, batch = Batch<S>::lanes < HELD ? Batch<S>::lanes : HELD;
#pragma unroll
    for (u32 lines = DOWN / 2; lines > 0; lines /= 2) {
#pragma unroll
        for (u32 begin = 0; begin < HELD; begin += batch) {
            barrier();
            if (y >= lines && y < 2 * lines) {
#pragma unroll
                for (u32 k = 0; k < batch; k++) stack.at[((y - lines) * batch + k) * ACROSS + x] = held[begin + k];
            }
            barrier();
            if (y < lines) {
#pragma unroll
                for (u32 k = 0; k < batch; k++) {
                    if (first + begin + k + lines * HELD < count) {
                        held[begin + k] = combine(held[begin + k], stack.at[(y * batch + k) * ACROSS + x], error);
                    }
                }
            }
        }
    }
#pragma unroll
    for (u32 step = HELD / 2; step > 0; step /= 2) {
#pragma unroll
        for (u32 k = 0; k < step; k++) {
            if (first + k + step < count) held[k] = combine(held[k], held[k + step], error);
        }
    }
}
