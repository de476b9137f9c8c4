//! Kernels made of closures on software GPUs: the bits of the reference, alone and fused.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::kernel::{Boundary, OutOfRange, elementwise, reduction, scan, stencil};
use ndany::{Array, DType, Device, along, arange, over, s};
use support::{Folder, LIBRARIES, process_of_all_vendors};

#[test]
fn kernels_have_the_bits_of_the_reference() {
    let folder = Folder::of_software_gpu("kernels", &LIBRARIES);
    process_of_all_vendors(&folder, "alone", &[]);
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let open = |name| Device::open(name).expect("a device");
    let expected = results(&open("reference"));
    let devices =
        [("cpu", true), ("cuda:0", cfg!(feature = "cuda")), ("hip:0", cfg!(feature = "rocm"))];
    for (name, _) in devices.into_iter().filter(|(_, built)| *built) {
        for ((what, expected), (_, found)) in expected.iter().zip(results(&open(name))) {
            assert!(*expected == found, "{what} on {name}: {expected:?}, got {found:?}");
        }
    }
}

/// Single operations over stored arrays, each several times: over whole vectors of a thread, and over what is left of them; over
/// views that begin between these; with an operand twice, with numbers, and with operands that lend their memory.
fn repeated(keep: &mut impl FnMut(&'static str, Array)) {
    let stored = |size: usize, from: f64| {
        let values: Vec<f64> = (0..size).map(|k| (k * 29 % 97) as f64 / 11.0 - from).collect();
        let array = Array::from_slice(&values, &[size][..]).astype(DType::F32);
        array.eval().expect("values");
        array
    };
    let axpy = elementwise("axpy", |k, [x, y]| [k.param("a") * x + y]).param("a", DType::F32, 2);
    for size in [1, 3, 4, 1000, 1001, 1000, 4, 1001] {
        let (x, y) = (stored(size, 2.0), stored(size, 5.5));
        keep("a difference", &x - &y);
        keep("a difference the other way", &y - &x);
        keep("a square", &x * &x);
        keep("a product", &x * &y);
        keep("a number's share", &x * 0.25);
        keep("another number's", &x * -3);
        keep("a share of a number", 0.25 / &x);
        keep("halves", x.astype(DType::F16));
        keep("words", x.astype(DType::I32));
        keep("a comparison", x.less(&y));
        let [after_x, after_y] = [&x, &y].map(|array| array.i(s![1..]));
        keep("what follows the first", after_x + after_y);
        keep("beside each other", &x.i(s![..-1]) - &x.i(s![1..]));
        for a in [2.0f32, -1.5] {
            let [made] = axpy.with("a", a).call([&x, &y]);
            keep("a closure", made);
        }
        let [made] = axpy.call([&y, &y]);
        keep("a closure of one array", made);
        let (lent, twice) = (stored(size, 1.0), stored(size, 3.0));
        keep("in the memory of an operand", lent + &y);
        keep("in the memory of both operands", twice.clone() * twice);
    }
}

/// What each kernel makes of some values: bytes, or the text of an error.
fn results(device: &Device) -> Vec<(&'static str, Result<Vec<u8>, String>)> {
    let _guard = device.enter();
    let element = |k: usize| (k * 37 % 101) as f64 / 13.0 - 3.0;
    let values: Vec<f64> = (0..3000).map(element).collect();
    let x = Array::from_slice(&values, &[30, 100][..]);
    let mut made = Vec::new();
    let mut keep = |what, array: Array| {
        made.push((what, array.to_bytes().map_err(|error| error.to_string())));
    };

    let mandelbrot = elementwise("mandelbrot", |k, [re, im]| {
        let [.., steps] = k.repeat_while(
            60,
            [re.zero(), im.zero(), k.value(0)],
            |[x, y, _]| (x * x + y * y).less(4),
            |[x, y, n]| [x * x - y * y + re, 2 * x * y + im, n + 1],
        );
        [steps]
    });
    for dtype in [DType::F32, DType::F16, DType::F64] {
        let (re, im) = ((&x * 0.4).astype(dtype), (x.t().reshape((30, 100)) * 0.3).astype(dtype));
        let [steps] = mandelbrot.call((&re, &im));
        keep("steps", steps.clone());
        // In the rows of a reduction, in columns, along a scan.
        keep("rows of steps", (&steps - steps.max(over(1).keepdims())).sum(1));
        let [steps] = mandelbrot.call((&re, &im));
        keep("columns of steps", steps.sum(0));
        let [steps] = mandelbrot.call((&re, 0.25));
        keep("a scan of steps", steps.cumsum(along(1)));
    }

    repeated(&mut keep);

    let polar = elementwise("polar", |_, [x, y]| [x.hypot(y), y.atan2(x), x.less(y)]);
    let [r, angle, less] = polar.call((&x, &x.i(s![.., ..;-1])));
    keep("radius", r);
    keep("angle", angle);
    keep("comparison", less);

    let position = elementwise("position", |k, [x]| [x * k.index() + k.param("shift")]);
    let position = position.param("shift", DType::F64, 0.5);
    let [y] = position.call([&x.t()]);
    keep("positions of a view", y.clone());
    keep("what is made of them", (y * 2).sum(1));
    let [y] = position.with("shift", -1).call([&(&x - x.mean(over(1).keepdims()))]);
    keep("another parameter", y);

    // Positions and extents, in a loop and around it.
    let places = elementwise("places", |k, [x]| {
        let [sum, _] = k.repeat_while(
            12,
            [x, k.value(0)],
            |[_, n]| n.less(k.coordinate(0)) & n.less(k.index()),
            |[sum, n]| [sum * 0.5 + k.coordinate(-1) - k.extent(1), n + 1],
        );
        [sum / k.size()]
    });
    keep("places", places.call([&x])[0].clone());
    keep("places of a view", places.call([&x.t()])[0].sum(0));

    // A state of complex numbers, one loop within another, and a formula in both.
    let nested = elementwise("nested", |k, [x]| {
        let [w, _] = k.repeat_while(
            5,
            [x.astype(DType::C128), k.value(0)],
            |[w, _]| w.abs().less(3),
            |[w, n]| {
                let [angle, _] = k.repeat_while(
                    4,
                    [x, n],
                    |[angle, n]| angle.less(2) & n.less(9),
                    |[angle, n]| [(angle + n).exp().log1p(), n + 1],
                );
                [w * w + angle, n + 1]
            },
        );
        [w]
    });
    let [w] = nested.call([&x]);
    keep("loops within loops", w);

    let powers = elementwise("powers", |k, [n]| {
        let [_, sum] = k.repeat_while(
            9,
            [n, n.zero()],
            |[n, _]| n.less(3),
            |[n, sum]| [n + 1, sum + (n.zero() + 3).pow(n)],
        );
        [sum]
    });
    let n = x.abs().astype(DType::I64);
    let [sum] = powers.call([&n]);
    keep("powers", sum);
    let [sum] = powers.call([&(n - 1)]);
    keep("a negative power", sum);
    reductions(&x, &mut keep);
    folds(&x, &mut keep);
    scans(&x, &mut keep);
    stencils(&x, &mut keep);
    wholes(&x, &mut keep);
    made
}

/// What stencils make of some values: of one, two and three axes, with each boundary, narrow and wide, on views.
fn stencils(x: &Array, keep: &mut impl FnMut(&'static str, Array)) {
    let boundaries = [
        Boundary::Constant(1.5.into()),
        Boundary::Edge,
        Boundary::Reflect,
        Boundary::Symmetric,
        Boundary::Wrap,
        Boundary::Valid,
    ];
    let heat = stencil("heat", |k, [u]| {
        let around = u.at([-1, 0]) + u.at([1, 0]) + u.at([0, -1]) + u.at([0, 1]);
        [u.at([0, 0]) + (around - 4 * u.at([0, 0])) * k.param("rate").astype(u.dtype())]
    })
    .param("rate", DType::F64, 0.2);
    let life = stencil("life", |_, [board]| {
        let around: Vec<_> = board.window([3, 3]).into_iter().enumerate().collect();
        let count = around.into_iter().filter(|(k, _)| *k != 4).map(|(_, cell)| cell);
        let count = count.reduce(|sum, cell| sum + cell).expect("eight cells");
        [(count.equal(3) | (board.at([0, 0]).equal(1) & count.equal(2))).astype(DType::U8)]
    });
    // Fields of three axes (Yee 1966): two results of one pass, of operands that broadcast.
    let magnetic = stencil("magnetic", |k, [h, e, weight]| {
        let curl = e.at([0, 1, 0]) - e.at([0, 0, 0]) - (e.at([0, 0, 1]) - e.at([0, 0, 0]));
        let next = h.at([0, 0, 0]) + k.param("step") * weight.at([0, 0, 0]) * curl;
        [next, next.greater(e.at([-2, 0, 0]))]
    })
    .param("step", DType::F64, 0.5);
    let wide = x.tile([1, 2]).i(s![.., ..192]).copy();
    let complex = x.astype(DType::C64) * num_complex::Complex32::new(0.5, -1.0);
    for boundary in boundaries {
        let heat = heat.clone().boundary(boundary);
        let arrays = [
            ("heat", x.clone()),
            ("heat of one row", x.i(s![..1])),
            ("heat of one column", x.i(s![.., ..1])),
            ("heat of one element", x.i(s![..1, ..1])),
            ("heat of nothing", x.i(s![..0])),
            ("heat of a view", x.i(s![..;-1, 3..;2])),
            ("heat of a transposed array", x.t()),
            ("heat of pieces", wide.astype(DType::F32)),
            ("heat in tiles", wide.i(s![.., ..136]).astype(DType::F32)),
            ("heat of half floats", wide.astype(DType::F16)),
            ("heat of complex numbers", complex.clone()),
        ];
        // Each boundary has a text of its own for each dtype and layout, which takes a while to compile.
        let count = match boundary {
            Boundary::Constant(_) => arrays.len(),
            _ => 5,
        };
        for (what, array) in arrays.into_iter().take(count) {
            keep(what, heat.with("rate", 0.1).call([&array])[0].clone());
        }
        let board = wide.greater(0.5).astype(DType::U8);
        let life = life.clone().boundary(boundary);
        keep("life", life.call([&board])[0].clone());
        keep("life on a small board", life.call([&board.i(s![..2, ..5])])[0].clone());
        let cube = x.reshape((10, 12, 25));
        let magnetic = magnetic.clone().boundary(boundary);
        for array in
            magnetic.call((&cube, &cube.t().reshape((10, 12, 25)), &cube.i(s![..1, .., ..1])))
        {
            keep("fields", array);
        }
        let far = stencil("far", |_, [x]| [x.at([-40]) - x.at([7]) * 2, x.at([40]) + x.at([0])]);
        for array in far.boundary(boundary).call([&x.ravel()]) {
            keep("one axis", array);
        }
    }
    // Neighbours of cells that a mask opens; then of one cell at each edge, whose first error is told.
    let guarded = stencil("guarded", |k, [u, open]| {
        let [sum] = k.repeat_while(
            1,
            [u.at([0, 0]).zero()],
            |_| open.at([0, 0]),
            |_| [u.at([-1, 0]) + u.at([1, 2]) + u.at([0, -3])],
        );
        [sum, u.at([0, 0]) * 2]
    })
    .boundary(Boundary::Error);
    let (rows, columns) = (arange(30).reshape((30, 1)), arange(100));
    let inner = rows.greater(0) & rows.less(29) & columns.greater(2) & columns.less(98);
    for dtype in [DType::F32, DType::F16, DType::C128, DType::U8] {
        for u in [x.astype(dtype), x.astype(dtype).i(s![..;-1, ..])] {
            guarded.call((&u, &inner)).into_iter().for_each(|array| keep("guarded", array));
        }
    }
    for (i, j) in [(0, 50), (29, 50), (7, 1), (7, 99), (29, 0), (15, 15)] {
        let mut open = inner.clone();
        open.set(s![i, j], true);
        guarded.call((x, &open)).into_iter().for_each(|array| keep("beyond an edge", array));
    }
    let powers = stencil("powers", |_, [n]| [(n.at([0, 0]).zero() + 3).pow(n.at([-1, 1]))]);
    let n = x.abs().astype(DType::I64);
    keep("powers of neighbours", powers.call([&n])[0].clone());
    keep("a negative power of a neighbour", powers.call([&(n - 1)])[0].clone());
}

/// What scans make of some values: short rows and several chunks, small states and large ones, along each axis.
fn scans(x: &Array, keep: &mut impl FnMut(&'static str, Array)) {
    let recurrence = scan(
        "recurrence",
        |_, [a, b]| [a, b],
        |_, [a, b], [c, d]| [a * c, c * b + d],
        |_, [_, y]| [y],
    );
    let segmented = scan(
        "segmented",
        |_, [x, begins]| [x, begins.astype(DType::Bool)],
        |_, [x, a], [y, b]| [b.select(y, x + y), a | b],
        |k, [sum, begun]| [sum, begun.select(k.index(), -1)],
    );
    // Neither associative nor commutative; a state of 32 bytes, whose parts change places.
    let odd = scan(
        "odd",
        |k, [x]| [x, x * k.param("by").astype(x.dtype()), k.index() + k.size(), x.zero() + 1],
        |_, [a, b, n, c], [d, e, m, f]| [b - d, a * 0.75 + e, m - n * 2, c * f],
        |_, [a, b, n, c]| [a + c, n, b.less(c)],
    )
    .param("by", DType::F64, 0.5);
    let narrow = scan(
        "narrow",
        |_, [x]| [x, x.astype(DType::I8)],
        |_, [a, n], [b, m]| [a * 0.5 + b, n.maximum(m)],
        |_, state| state,
    );
    let complex = scan("complex", |_, [z]| [z, z], |_, [a, b], [c, d]| [a * c, b + d], |_, s| s);
    let long = arange(13_001) * 37 % 101 / 13.0 - 3.0;
    let rows = (arange(2 * 4097) * 53 % 97 / 50.0).reshape((2, 4097));
    for (what, x, axis) in [
        ("short rows", x.clone(), 1),
        ("columns", x.clone(), 0),
        ("a view", x.i(s![..;-1, 3..;2]), 1),
        ("a transposed view", x.t(), 0),
        ("what is pending", x - x.mean(over(1).keepdims()), 1),
        ("several chunks", long, 0),
        ("rows of several chunks", rows, 1),
        ("no elements", x.i(s![.., 0..0]), 1),
        ("rows of no elements", x.i(s![0..0]), 0),
    ] {
        // Each dtype has texts of its own, which take a while to compile.
        let dtypes = match what {
            "short rows" | "several chunks" => &[DType::F64, DType::F32, DType::F16][..],
            _ => &[DType::F64],
        };
        for &dtype in dtypes {
            let x = x.astype(dtype);
            keep(what, recurrence.call((&(&x * 0.3), &x), along(axis))[0].clone());
            let [sum, index] = segmented.call((&x, &x.greater(1.5)), along(axis));
            keep(what, sum);
            keep(what, index);
            for array in odd.with("by", -2).call([&x], along(axis)) {
                keep(what, array);
            }
            for array in narrow.call([&x], along(axis)) {
                keep(what, array);
            }
        }
        if dtypes.len() == 1 {
            continue;
        }
        let z = x.astype(DType::C128) * num_complex::Complex64::new(0.25, -0.5);
        for array in complex.call([&z], along(axis)) {
            keep(what, array);
        }
    }
    let powers =
        scan("powers", |_, [n]| [n], |_, [a], [b]| [a + b], |_, [n]| [(n.zero() + 3).pow(n)]);
    keep("powers", powers.call([&(x.astype(DType::I64) + 4)], 0)[0].clone());
    keep("a negative power", powers.call([&x.astype(DType::I64)], 0)[0].clone());
}

/// What reductions make of some values: short rows and long ones, along and across, alone and fused.
fn reductions(x: &Array, keep: &mut impl FnMut(&'static str, Array)) {
    let first_max = reduction(
        "first_max",
        |k, [x]| [x, k.index()],
        |_, [v, i], [w, j]| {
            let left = v.greater(w) | (v.equal(w) & i.less(j));
            [left.select(v, w), left.select(i, j)]
        },
        |_, state| state,
    );
    let long = (0..60_000).map(|k| f64::from(k * 7919 % 60_013) / 97.0 - 300.0).collect::<Vec<_>>();
    let long = Array::from_slice(&long, &[3, 20_000][..]);
    for (rows, array) in [("short rows", x), ("long rows", &long)] {
        for axes in [0, 1] {
            let [largest, place] = first_max.call([array], axes);
            keep(rows, largest);
            keep(rows, place);
        }
        let [largest, place] = first_max.call([&(array.t() * 0.5)], ..);
        keep(rows, largest);
        keep(rows, place);
        let [largest, place] = first_max.call([array], over(1).keepdims());
        keep("along the rows", (array - largest) * (place + 1));
    }

    // Neither commutative nor associative: the order of combinations shows.
    let odd = reduction("odd", |_, [x]| [x], |_, [a], [b]| [a * 0.75 - b], |_, state| state);
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64, DType::C64] {
        for array in [x, &long] {
            let array = array.astype(dtype);
            keep("odd over rows", odd.call([&array], 1)[0].clone());
            keep("odd over columns", odd.call([&array], 0)[0].clone());
            keep("odd over all", odd.call([&array], ..)[0].clone());
        }
    }

    // Rotations, which do not commute, from the first element to the last.
    let turned = reduction(
        "turned",
        |k, [x, y]| [x.cos(), x.sin(), y * k.index(), x.zero()],
        |_, [a, b, c, d], [p, q, r, s]| {
            [
                a * p - b * q - c * r,
                a * q + b * p - c * s,
                a * r + b * s + d * q,
                d * p - c * q + a * s,
            ]
        },
        |k, [a, b, c, d]| [a + b, (c - d) / k.size(), a.less(b)],
    )
    .ordered();
    for array in [x, &x.t(), &long.i(s![.., ..;150])] {
        for axes in [vec![0], vec![1], vec![0, 1]] {
            let [sum, difference, less] = turned.call((array, 0.125), axes);
            keep("turned: sum", sum);
            keep("turned: difference", difference);
            keep("turned: comparison", less);
        }
    }

    // Two operands, four numbers of state, a parameter, three results, a loop in front and one after.
    let line = reduction(
        "line",
        |k, [x, y]| {
            let [y, _] = k.repeat_while(
                9,
                [y, x.zero()],
                |[y, _]| y.abs().greater(1),
                |[y, n]| [y / 2, n + 1],
            );
            [x, y, x * x, x * y]
        },
        |_, [a, b, c, d], [p, q, r, s]| [a + p, b + q, c + r, d + s],
        |k, [x, y, xx, xy]| {
            let slope = (xy * k.size() - x * y) / (xx * k.size() - x * x + k.param("ridge"));
            let [root, _] = k.repeat_while(
                20,
                [slope.abs() + 1, x.zero()],
                |[root, before]| root.not_equal(before),
                |[root, _]| [(root + (slope.abs() + 1) / root) / 2, root],
            );
            [slope, slope.less(0), root]
        },
    )
    .param("ridge", DType::F64, 0.5);
    for (x, y) in [(x, &(x.i(s![.., ..;-1]) + 1)), (&long, &long.square())] {
        for axes in [0, 1] {
            let [slope, falls, root] = line.with("ridge", axes as f64).call((x, y), axes);
            keep("slope", slope);
            keep("falls", falls);
            keep("root", root);
        }
    }

    let powers = reduction(
        "powers",
        |_, [n]| [(n.zero() + 3).pow(n)],
        |_, [a], [b]| [a + b],
        |_, state| state,
    );
    let n = x.abs().astype(DType::I64);
    keep("sums of powers", powers.call([&n], 1)[0].clone());
    keep("a negative power of an element", powers.call([&(&n - 1)], 1)[0].clone());
    let powers = powers.ordered();
    keep("ordered sums of powers", powers.call([&n], 0)[0].clone());
    keep("an ordered negative power", powers.call([&(n - 1)], 0)[0].clone());
}

/// What kernels of two operands make as ufuncs.
fn folds(x: &Array, keep: &mut impl FnMut(&'static str, Array)) {
    let smooth = elementwise("smooth", |_, [state, x]| [state + (x - state).tanh() / 4]);
    for dtype in [DType::F16, DType::F32, DType::F64, DType::C128] {
        let x = x.astype(dtype);
        for axis in [0, 1] {
            keep("folded", smooth.reduce(&(&x * 2), axis));
            keep("accumulated", smooth.accumulate(&(&x * 2), axis));
        }
        keep("folded over all", smooth.reduce(&x.t(), (0, 1)));
        let mut y = x.i(0).copy();
        let places = (Array::from_slice(&(0..300).collect::<Vec<i64>>(), &[300][..]) * 7) % 53;
        smooth.at(&mut y, &places, x.ravel().i(s![..300]));
        keep("at positions", y);
    }
    let gap = elementwise("gap", |_, [a, b]| [(a - b).abs()]);
    keep("pairs", gap.outer(x.i(0), x.i(s![.., 0])));
}

/// What kernels make that read operands by position.
fn wholes(x: &Array, keep: &mut impl FnMut(&'static str, Array)) {
    let all = [
        DType::Bool,
        DType::I8,
        DType::U16,
        DType::I32,
        DType::U64,
        DType::F16,
        DType::BF16,
        DType::F32,
        DType::F64,
        DType::C64,
        DType::C128,
    ];
    // A cross of neighbours, each by another rule.
    let cross = elementwise("cross", |k, [x, all]| {
        let (i, j) = (k.coordinate(0), k.coordinate(1));
        [
            all.at(([i, j - 1], OutOfRange::Clamp)),
            all.at(([i, j + 7], OutOfRange::Wrap)),
            all.at(([i - 1, j], OutOfRange::fill(1))),
            all.at([i, j]).equal(x),
        ]
    })
    .whole(1);
    // Every rule but that of errors.
    let near = elementwise("near", |k, [i, all]| {
        let j = i * 3 - (k.size() >> 1);
        let clamped = all.at((j, OutOfRange::Clamp));
        [all.at((j, OutOfRange::Wrap))
            .equal(clamped)
            .select(clamped, all.at((j, OutOfRange::fill(0))))]
    })
    .whole(1);
    let i = ndany::arange(3000).reshape((30, 100));
    for dtype in all {
        let x = x.astype(dtype);
        for result in cross.call([&x, &x]) {
            keep("a cross", result);
        }
        let [y] = near.call([&i, &x.t()]);
        keep("near", y);
        // In rows and columns of reductions.
        let [y] = near.call([&i, &x]);
        keep("near in rows", (y.astype(DType::F64) * 2).sum(1));
        let [y] = near.call([&i, &x]);
        keep("near in columns", y.astype(DType::F64).max(0));
    }

    // A sparse matrix by rows times a vector: a loop reads three operands at positions that it computes.
    let rows: Vec<i64> = (0..41).map(|row| row * row * 75 / 41).collect();
    let rows = Array::from(rows);
    let columns = ndany::arange(3000) * 37 % 100;
    let product = elementwise("product", |k, [begin, end, values, columns, x]| {
        let zero = values.at(0).zero();
        let [sum, _] = k.repeat_while(
            3000,
            [zero, begin],
            |[_, p]| p.less(end),
            |[sum, p]| [sum + values.at(p) * x.at(columns.at(p)), p + 1],
        );
        [sum]
    });
    let product = product.whole(2).whole(3).whole(4);
    for dtype in [DType::F32, DType::F64, DType::F16, DType::C128] {
        let (values, vector) = (x.ravel().astype(dtype), x.i(3).astype(dtype));
        let (begin, end) = (rows.i(s![..40]), rows.i(s![1..]));
        let [y] = product.call([&begin, &end, &values, &columns, &vector]);
        keep("a sparse product", y);
        // One column is too far for the vector, and one row too long for the values.
        let far = vector.i(s![..99]);
        let [y] = product.call([&begin, &end, &values, &columns, &far]);
        keep("a column out of range", y);
        let [y] = product.call([&begin, &(end * 2), &values, &columns, &vector]);
        keep("a row out of range", y);
    }

    let lookup = elementwise("lookup", |_, [i, j, a]| [a.at([i, j]), a.at(i + j)]).whole(2);
    for (i, j) in [(5, 7), (-1, 100), (30, -5), (29, 99), (30, 100)] {
        // Each result has its own errors, in whatever order they are read.
        let [first, second] = lookup.call((i + ndany::arange(2), j, x));
        keep("positions out of range", first);
        keep("positions out of range, read second", second);
        let [first, second] = lookup.call((i + ndany::arange(2), j, x));
        keep("positions out of range, read first", second);
        keep("positions out of range, read last", first);
    }
    // What is out of range counts though it is not chosen; a negative power counts before it.
    let both = elementwise("both", |_, [n, a]| {
        [n.less(0).select((n.zero() + 2).pow(n), a.at(n).astype(DType::I64))]
    })
    .whole(1);
    keep("powers and positions", both.call([&(ndany::arange(5) + 2999), x])[0].clone());
    keep("powers before positions", both.call([&(ndany::arange(5) - 2), x])[0].clone());
}
