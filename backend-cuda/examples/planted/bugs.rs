//! Kernels with one bug each, and the same without it: what tools that look for such bugs must find, and must not.

/// Threads of the one block that each of them runs in, and elements of its buffers.
pub const SIZE: usize = 1024;

/// A kernel of two pointers, `from` and `to`, each to so many words.
pub struct Bug {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does with thread `t` of `n`.
    body: &'static str,
    /// Is `from` written before?
    pub written: bool,
}

/// The bugs; names that begin with `right-` have none.
pub const BUGS: [Bug; 6] = [
    // The last thread reads one element behind the end.
    Bug { name: "outside", body: "to[t] = from[t + 1];", written: true },
    Bug { name: "right-outside", body: "to[t] = from[t + 1 < n ? t + 1 : 0];", written: true },
    // Neighbours in another warp may not have written yet.
    Bug { name: "barrier", body: "room[t] = from[t]; to[t] = room[(t + 32) % n];", written: true },
    Bug {
        name: "right-barrier",
        body: "room[t] = from[t]; __syncthreads(); to[t] = room[(t + 32) % n];",
        written: true,
    },
    // The host has written nothing.
    Bug { name: "unwritten", body: "to[t] = from[t] * 3;", written: false },
    Bug { name: "right-unwritten", body: "to[t] = from[t] * 3;", written: true },
];

impl Bug {
    /// The text of its kernel, `planted`.
    pub fn text(&self) -> String {
        format!(
            "struct Args {{ const unsigned* from; unsigned* to; }};\n\
             extern \"C\" __global__ void planted(const Args args) {{\n\
             __shared__ unsigned room[{SIZE}];\n\
             const unsigned t = threadIdx.x, n = {SIZE};\n\
             const unsigned* from = args.from;\n\
             unsigned* to = args.to;\n\
             room[t] = 0;\n\
             __syncthreads();\n\
             {}\n\
             }}\n",
            self.body
        )
    }
}
