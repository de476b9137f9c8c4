use super::*;
use crate::program::{Op, Prim};

const U32: RegType = RegType::U32;

/// A kernel of one array that is read, one that is written, and one shared array.
struct Parting {
    parts: Parts,
}

impl Parting {
    fn new() -> Self {
        let array = |writes| ParameterKind::Array { dtype: DType::F32, rank: 1, writes };
        let parameter = |name, kind| Parameter { name, kind };
        let parameters = vec![
            parameter("x", array(false)),
            parameter("y", array(true)),
            parameter("n", ParameterKind::Scalar(DType::U32)),
        ];
        let shared = vec![SharedArray { dtype: DType::F32, size: 64 }];
        Self { parts: Parts { name: "test", parameters, shared, ..Parts::default() } }
    }

    fn register(&mut self, ty: RegType) -> Reg {
        self.parts.registers.push(ty);
        (self.parts.registers.len() - 1) as Reg
    }

    fn variable(&mut self, ty: RegType) -> Variable {
        self.parts.variables.push(ty);
        (self.parts.variables.len() - 1) as Variable
    }

    fn builtin(&mut self, out: &mut Block, builtin: Builtin) -> Reg {
        let result = self.register(builtin.ty());
        out.push(Statement::Builtin { result, builtin });
        result
    }

    fn constant(&mut self, out: &mut Block, ty: RegType, bits: u64) -> Reg {
        let result = self.register(ty);
        let instr = Instr { op: Op::Const(bits), ty, args: [0; 3] };
        out.push(Statement::Step { result, instr });
        result
    }

    fn less(&mut self, out: &mut Block, a: Reg, b: Reg) -> Reg {
        let result = self.register(RegType::Bool);
        let instr = Instr { op: Op::Prim(Prim::Lt), ty: RegType::Bool, args: [a, b, 0] };
        out.push(Statement::Step { result, instr });
        result
    }

    fn get(&mut self, out: &mut Block, variable: Variable) -> Reg {
        let result = self.register(self.parts.variables[usize::from(variable)]);
        out.push(Statement::Get { result, variable });
        result
    }

    /// A boolean that is the same for a group.
    fn condition(&mut self, out: &mut Block, builtin: Builtin) -> Reg {
        let value = self.builtin(out, builtin);
        let three = self.constant(out, U32, 3);
        self.less(out, value, three)
    }

    fn kernel(mut self, body: Block) -> Result<Kernel, Invalid> {
        self.parts.body = body;
        Kernel::new(self.parts)
    }
}

fn when(condition: Reg, then: Block) -> Statement {
    Statement::If { condition, then, otherwise: Vec::new(), site: 1 }
}

const BARRIER: Statement = Statement::Barrier { site: 7 };

/// What is found of a kernel.
fn divergence(parting: Parting, body: Block) -> Option<Divergence> {
    match parting.kernel(body) {
        Ok(_) => None,
        Err(Invalid::Divergence(found)) => Some(found),
        Err(Invalid::Malformed(malformed)) => panic!("{malformed:?}"),
    }
}

fn exchange(parting: &mut Parting, body: &mut Block, value: Reg) -> Reg {
    let result = parting.register(U32);
    let op = Exchange::Down;
    body.push(Statement::Exchange { result, op, value, operand: value, site: 8 });
    result
}

#[test]
fn a_barrier_needs_its_block_and_an_exchange_its_warp() {
    // Which of both may stand under a condition on each.
    let cases = [
        (Builtin::GridSize(0), true, true),
        (Builtin::Lanes, true, true),
        (Builtin::Block(1), true, true),
        (Builtin::Warp, false, true),
        (Builtin::Thread(2), false, false),
        (Builtin::Lane, false, false),
    ];
    for (builtin, barrier, exchanges) in cases {
        let (mut parting, mut body) = (Parting::new(), Block::new());
        let condition = parting.condition(&mut body, builtin);
        body.push(when(condition, vec![BARRIER]));
        let found = divergence(parting, body);
        let refused = Divergence { barrier: true, site: 7, because: Some(1) };
        assert_eq!(found, (!barrier).then_some(refused), "{builtin:?}");

        let (mut parting, mut body) = (Parting::new(), Block::new());
        let condition = parting.condition(&mut body, builtin);
        let value = parting.builtin(&mut body, Builtin::Thread(0));
        let mut then = Block::new();
        exchange(&mut parting, &mut then, value);
        body.push(when(condition, then));
        let refused = Divergence { barrier: false, site: 8, because: Some(1) };
        assert_eq!(divergence(parting, body), (!exchanges).then_some(refused), "{builtin:?}");
    }
}

#[test]
fn values_of_memory_count_as_different_where_the_kernel_writes_it() {
    for (place, uniform) in
        [(Place::Array(0), true), (Place::Array(1), false), (Place::Shared(0), false)]
    {
        let (mut parting, mut body) = (Parting::new(), Block::new());
        let at = parting.constant(&mut body, U32, 0);
        let result = parting.register(RegType::F32);
        body.push(Statement::Load { result, place, part: 0, at: smallvec::smallvec![at] });
        let zero = parting.constant(&mut body, RegType::F32, 0);
        let condition = parting.less(&mut body, zero, result);
        body.push(when(condition, vec![BARRIER]));
        assert_eq!(divergence(parting, body).is_none(), uniform, "{place:?}");
    }
    // At positions of threads, what is read differs, too.
    let (mut parting, mut body) = (Parting::new(), Block::new());
    let at = parting.builtin(&mut body, Builtin::Thread(0));
    let result = parting.register(RegType::F32);
    body.push(Statement::Load {
        result,
        place: Place::Array(0),
        part: 0,
        at: smallvec::smallvec![at],
    });
    let zero = parting.constant(&mut body, RegType::F32, 0);
    let condition = parting.less(&mut body, zero, result);
    body.push(when(condition, vec![BARRIER]));
    assert!(divergence(parting, body).is_some());
}

/// A loop whose counter starts at 0 and ends at `end`.
fn counted(parting: &mut Parting, out: &mut Block, end: Reg, body: Block) {
    let counter = parting.variable(U32);
    let zero = parting.constant(out, U32, 0);
    out.push(Statement::Set { variable: counter, value: zero });
    let mut head = Block::new();
    let now = parting.get(&mut head, counter);
    let condition = parting.less(&mut head, now, end);
    let mut next = Block::new();
    let one = parting.constant(&mut next, U32, 1);
    let result = parting.register(U32);
    let instr = Instr { op: Op::Prim(Prim::Add), ty: U32, args: [now, one, 0] };
    next.push(Statement::Step { result, instr });
    next.push(Statement::Set { variable: counter, value: result });
    out.push(Statement::Loop { head, condition, body, next, site: 2 });
}

#[test]
fn loops_are_uniform_if_all_take_as_many_turns() {
    for (builtin, uniform) in [(Builtin::GridSize(0), true), (Builtin::Thread(0), false)] {
        let (mut parting, mut body) = (Parting::new(), Block::new());
        let end = parting.builtin(&mut body, builtin);
        counted(&mut parting, &mut body, end, vec![BARRIER]);
        // They come together again after it.
        body.push(BARRIER);
        let refused = Divergence { barrier: true, site: 7, because: Some(2) };
        assert_eq!(divergence(parting, body), (!uniform).then_some(refused));
    }
}

#[test]
fn a_barrier_before_a_break_of_some_threads_is_met_in_the_next_turn() {
    for (builtin, uniform) in [(Builtin::Block(0), true), (Builtin::Thread(0), false)] {
        for leave in [Statement::Break, Statement::Continue] {
            let (mut parting, mut body) = (Parting::new(), Block::new());
            let end = parting.builtin(&mut body, Builtin::GridSize(0));
            let condition = parting.condition(&mut body, builtin);
            let turn = vec![BARRIER, when(condition, vec![leave])];
            counted(&mut parting, &mut body, end, turn);
            body.push(BARRIER);
            assert_eq!(divergence(parting, body).is_none(), uniform);
        }
    }
}

#[test]
fn returns_leave_their_function() {
    let part = |builtin, in_call: bool, after: bool| {
        let (mut parting, mut body) = (Parting::new(), Block::new());
        let condition = parting.condition(&mut body, builtin);
        let mut leaving = vec![when(condition, vec![Statement::Return])];
        if !after {
            leaving.push(BARRIER);
        }
        match in_call {
            true => body.push(Statement::Call { body: leaving }),
            false => body.append(&mut leaving),
        }
        if after {
            body.push(BARRIER);
        }
        divergence(parting, body).is_none()
    };
    assert!(part(Builtin::Block(0), false, true));
    assert!(!part(Builtin::Thread(0), false, true));
    // A function that some leave early is left by all.
    assert!(part(Builtin::Thread(0), true, true));
    assert!(!part(Builtin::Thread(0), true, false));
}

#[test]
fn variables_differ_as_soon_as_some_threads_write_them() {
    // Uniform values, written under a branch of threads.
    for (builtin, uniform) in [(Builtin::Block(0), true), (Builtin::Thread(0), false)] {
        let (mut parting, mut body) = (Parting::new(), Block::new());
        let variable = parting.variable(U32);
        let condition = parting.condition(&mut body, builtin);
        let one = parting.constant(&mut body, U32, 1);
        body.push(when(condition, vec![Statement::Set { variable, value: one }]));
        let value = parting.get(&mut body, variable);
        let holds = parting.less(&mut body, value, one);
        body.push(Statement::If {
            condition: holds,
            then: vec![BARRIER],
            otherwise: Vec::new(),
            site: 3,
        });
        let refused = Divergence { barrier: true, site: 7, because: Some(3) };
        assert_eq!(divergence(parting, body), (!uniform).then_some(refused));
    }
}

#[test]
fn one_lanes_value_is_the_same_for_its_warp() {
    let (mut parting, mut body) = (Parting::new(), Block::new());
    let value = parting.builtin(&mut body, Builtin::Thread(0));
    let lane = parting.constant(&mut body, U32, 0);
    let result = parting.register(U32);
    let op = Exchange::Lane;
    body.push(Statement::Exchange { result, op, value, operand: lane, site: 8 });
    let condition = parting.less(&mut body, lane, result);
    let mut then = Block::new();
    exchange(&mut parting, &mut then, value);
    body.push(when(condition, then));
    assert_eq!(divergence(parting, body), None);
}

/// The statement that a kernel is refused for.
fn malformed(parting: Parting, body: Block) -> String {
    match parting.kernel(body) {
        Err(Invalid::Malformed(malformed)) => malformed.0,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    type Make = fn(&mut Parting, &mut Block);
    let cases: [(&str, Make); 17] = [
        ("Step", |p, out| {
            let (a, result) = (p.register(U32), p.register(U32));
            let instr = Instr { op: Op::Prim(Prim::Neg), ty: U32, args: [a, 0, 0] };
            out.push(Statement::Step { result, instr });
        }),
        ("Step", |p, out| {
            let a = p.constant(out, RegType::F32, 0);
            let result = p.register(U32);
            let instr = Instr { op: Op::Prim(Prim::Neg), ty: U32, args: [a, 0, 0] };
            out.push(Statement::Step { result, instr });
        }),
        ("Step", |p, out| {
            let a = p.constant(out, RegType::I32, 0);
            let result = p.register(RegType::I32);
            let instr = Instr { op: Op::Prim(Prim::IntPow), ty: RegType::I32, args: [a, a, 0] };
            out.push(Statement::Step { result, instr });
        }),
        ("Step", |_, out| {
            let instr = Instr { op: Op::Const(0), ty: U32, args: [0; 3] };
            out.push(Statement::Step { result: 9, instr });
        }),
        ("Step", |p, out| {
            // Twice.
            let result = p.constant(out, U32, 0);
            let instr = Instr { op: Op::Const(0), ty: U32, args: [0; 3] };
            out.push(Statement::Step { result, instr });
        }),
        ("Scalar", |p, out| {
            let result = p.register(RegType::F32);
            out.push(Statement::Scalar { result, parameter: 0, part: 0 });
        }),
        ("Builtin", |p, out| {
            p.builtin(out, Builtin::Thread(3));
        }),
        ("Builtin", |p, out| {
            p.builtin(out, Builtin::Extent { parameter: 0, axis: 1 });
        }),
        ("Get", |p, out| {
            let result = p.register(U32);
            out.push(Statement::Get { result, variable: 0 });
        }),
        ("Set", |p, out| {
            let variable = p.variable(RegType::F32);
            let value = p.constant(out, U32, 0);
            out.push(Statement::Set { variable, value });
        }),
        ("Load", |p, out| {
            let at = p.constant(out, RegType::F32, 0);
            let result = p.register(RegType::F32);
            let place = Place::Array(0);
            out.push(Statement::Load { result, place, part: 0, at: smallvec::smallvec![at] });
        }),
        ("Load", |p, out| {
            let at = p.constant(out, U32, 0);
            let result = p.register(RegType::F32);
            let place = Place::Shared(0);
            out.push(Statement::Load { result, place, part: 0, at: smallvec::smallvec![at, at] });
        }),
        ("Store", |p, out| {
            // It is only read.
            let at = p.constant(out, U32, 0);
            let value = p.constant(out, RegType::F32, 0);
            let place = Place::Array(0);
            out.push(Statement::Store { place, part: 0, at: smallvec::smallvec![at], value });
        }),
        ("Atomic", |p, out| {
            let at = p.constant(out, U32, 0);
            let value = p.constant(out, RegType::F32, 0);
            let result = p.register(RegType::F32);
            let (op, place) = (Atomic::Min, Place::Array(1));
            let at = smallvec::smallvec![at];
            out.push(Statement::Atomic { result, op, place, at, value, expected: value });
        }),
        ("If", |p, out| {
            let condition = p.constant(out, U32, 1);
            out.push(when(condition, Vec::new()));
        }),
        ("Break", |_, out| out.push(Statement::Break)),
        ("Break", |p, out| {
            // A function is not in the loop around its call.
            let end = p.constant(out, U32, 2);
            let body = vec![Statement::Call { body: vec![Statement::Break] }];
            counted(p, out, end, body);
        }),
    ];
    for (number, (what, make)) in cases.into_iter().enumerate() {
        let (mut parting, mut body) = (Parting::new(), Block::new());
        make(&mut parting, &mut body);
        let found = malformed(parting, body);
        assert!(found.contains(what), "case {number}: {found}");
    }
}

#[test]
fn what_a_block_defines_ends_with_it() {
    let (mut parting, mut body) = (Parting::new(), Block::new());
    let condition = parting.condition(&mut body, Builtin::Block(0));
    let mut then = Block::new();
    let inner = parting.constant(&mut then, U32, 5);
    body.push(when(condition, then));
    parting.less(&mut body, inner, inner);
    assert!(malformed(parting, body).contains("Step"));
    // What the head of a loop defines is there in its body and in what follows that: `counted` reads it there.
    let (mut parting, mut body) = (Parting::new(), Block::new());
    let end = parting.constant(&mut body, U32, 2);
    counted(&mut parting, &mut body, end, Vec::new());
    assert!(parting.kernel(body).is_ok());
}

#[test]
fn blocks_within_blocks_are_limited() {
    let nested = |depth: usize| {
        let mut body = Block::new();
        for _ in 0..depth {
            body = vec![Statement::Call { body }];
        }
        Parting::new().kernel(body)
    };
    assert!(nested(MAX_DEPTH).is_ok());
    assert!(matches!(nested(MAX_DEPTH + 1), Err(Invalid::Malformed(_))));
}

#[test]
fn formulas_are_written_out() {
    let (mut parting, mut body) = (Parting::new(), Block::new());
    let x = parting.constant(&mut body, RegType::F32, 0x3f80_0000);
    let result = parting.register(RegType::F32);
    let instr =
        Instr { op: Op::Call(crate::formulas::Formula::Exp), ty: RegType::F32, args: [x, 0, 0] };
    body.push(Statement::Step { result, instr });
    let at = parting.constant(&mut body, U32, 0);
    let place = Place::Array(1);
    body.push(Statement::Store { place, part: 0, at: smallvec::smallvec![at], value: result });
    let kernel = parting.kernel(body).expect("it is well-formed");
    let expanded = kernel.expand();
    assert_eq!(check::check(&expanded.parts), Ok(()));
    let calls = |kernel: &Kernel| {
        let mut found = 0;
        each_statement(kernel.body(), &mut |statement| {
            let is_call = |instr: &Instr| matches!(instr.op, Op::Call(_));
            found +=
                usize::from(matches!(statement, Statement::Step { instr, .. } if is_call(instr)));
        });
        found
    };
    assert_eq!((calls(&kernel), calls(&expanded)), (1, 0));
    assert_eq!(kernel, kernel);
    assert_ne!(kernel, expanded);
}

/// Whether accesses of a kernel over 100 threads in blocks of 32 are known to be inside arrays of these extents.
fn inside(parting: Parting, body: Block, extents: [u64; 2], number: u64) -> bool {
    let kernel = parting.kernel(body).unwrap_or_else(|invalid| panic!("{invalid:?}"));
    kernel.stays_inside(Known {
        grid: [4, 1, 1],
        block: [32, 1, 1],
        lanes: 32,
        extents: extents.into_iter().collect(),
        numbers: [number].into_iter().collect(),
    })
}

impl Parting {
    fn step(&mut self, out: &mut Block, op: Op, ty: RegType, args: [Reg; 3]) -> Reg {
        let result = self.register(ty);
        out.push(Statement::Step { result, instr: Instr { op, ty, args } });
        result
    }

    /// The position of the thread in the grid.
    fn global(&mut self, out: &mut Block) -> Reg {
        let block = self.builtin(out, Builtin::Block(0));
        let size = self.builtin(out, Builtin::BlockSize(0));
        let thread = self.builtin(out, Builtin::Thread(0));
        let first = self.step(out, Op::Prim(Prim::Mul), U32, [block, size, 0]);
        self.step(out, Op::Prim(Prim::Add), U32, [first, thread, 0])
    }

    /// The number of elements of the array that is written, as the kernels of functions have it.
    fn size(&mut self, out: &mut Block) -> Reg {
        let extent = self.builtin(out, Builtin::Extent { parameter: 1, axis: 0 });
        self.step(out, Op::Cast { from: RegType::I64 }, U32, [extent, 0, 0])
    }

    /// Copies an element.
    fn copy(&mut self, out: &mut Block, at: Reg) {
        let result = self.register(RegType::F32);
        let at: Position = [at].into_iter().collect();
        out.push(Statement::Load { result, place: Place::Array(0), part: 0, at: at.clone() });
        out.push(Statement::Store { place: Place::Array(1), part: 0, at, value: result });
    }
}

#[test]
fn guards_prove_accesses() {
    let guarded = |extents, number| {
        let (mut parting, mut body, mut then) = (Parting::new(), Block::new(), Block::new());
        let i = parting.global(&mut body);
        let n = parting.size(&mut body);
        let below = parting.less(&mut body, i, n);
        parting.copy(&mut then, i);
        body.push(when(below, then));
        inside(parting, body, extents, number)
    };
    assert!(guarded([100, 100], 0));
    // The guard asks for the other array.
    assert!(!guarded([99, 100], 0));
    assert!(guarded([128, 1000], 0));
    assert!(!guarded([127, 1000], 0));
    assert!(guarded([0, 0], 0));
}

#[test]
fn a_return_guards_what_follows() {
    for leaves in [false, true] {
        let (mut parting, mut body) = (Parting::new(), Block::new());
        let i = parting.global(&mut body);
        let n = parting.size(&mut body);
        let below = parting.less(&mut body, i, n);
        let beyond = parting.step(&mut body, Op::Prim(Prim::Not), RegType::Bool, [below, 0, 0]);
        body.push(when(beyond, if leaves { vec![Statement::Return] } else { Vec::new() }));
        parting.copy(&mut body, i);
        assert_eq!(inside(parting, body, [100, 100], 0), leaves);
    }
}

#[test]
fn numbers_of_a_launch_count() {
    for (number, is_inside) in [(100, true), (101, false)] {
        let (mut parting, mut body, mut then) = (Parting::new(), Block::new(), Block::new());
        let i = parting.global(&mut body);
        let n = parting.register(U32);
        body.push(Statement::Scalar { result: n, parameter: 2, part: 0 });
        let below = parting.less(&mut body, i, n);
        parting.copy(&mut then, i);
        body.push(when(below, then));
        assert_eq!(inside(parting, body, [100, 100], number), is_inside);
    }
}

#[test]
fn loops_widen_what_grows() {
    // A loop with steps of the grid, until the size or one beyond it.
    for (beyond, is_inside) in [(false, true), (true, false)] {
        let (mut parting, mut body) = (Parting::new(), Block::new());
        let variable = parting.variable(U32);
        let i = parting.global(&mut body);
        body.push(Statement::Set { variable, value: i });
        let n = parting.size(&mut body);
        let step = parting.constant(&mut body, U32, 128);
        let (mut head, mut turn, mut next) = (Block::new(), Block::new(), Block::new());
        let now = parting.get(&mut head, variable);
        let prim = if beyond { Prim::Le } else { Prim::Lt };
        let condition = parting.step(&mut head, Op::Prim(prim), RegType::Bool, [now, n, 0]);
        let at = parting.get(&mut turn, variable);
        parting.copy(&mut turn, at);
        let last = parting.get(&mut next, variable);
        let value = parting.step(&mut next, Op::Prim(Prim::Add), U32, [last, step, 0]);
        next.push(Statement::Set { variable, value });
        body.push(Statement::Loop { head, condition, body: turn, next, site: 1 });
        assert_eq!(inside(parting, body, [100, 100], 0), is_inside);
    }
}

#[test]
fn a_loop_that_wraps_is_not_proven() {
    let (mut parting, mut body) = (Parting::new(), Block::new());
    let variable = parting.variable(U32);
    let n = parting.size(&mut body);
    // From 0 down by one: 2^32 - 1 is beyond every array.
    let one = parting.constant(&mut body, U32, 1);
    let (mut head, mut turn) = (Block::new(), Block::new());
    let now = parting.get(&mut head, variable);
    let condition = parting.less(&mut head, one, n);
    parting.copy(&mut turn, now);
    let value = parting.step(&mut turn, Op::Prim(Prim::Sub), U32, [now, one, 0]);
    turn.push(Statement::Set { variable, value });
    body.push(Statement::Loop { head, condition, body: turn, next: Vec::new(), site: 1 });
    assert!(!inside(parting, body, [100, 100], 0));
}

#[test]
fn what_is_read_is_no_known_position() {
    let (mut parting, mut body) = (Parting::new(), Block::new());
    let zero = parting.constant(&mut body, U32, 0);
    let read = parting.register(RegType::F32);
    let at = [zero].into_iter().collect();
    body.push(Statement::Load { result: read, place: Place::Array(0), part: 0, at });
    let at = parting.step(&mut body, Op::Cast { from: RegType::F32 }, U32, [read, 0, 0]);
    parting.copy(&mut body, at);
    assert!(!inside(parting, body, [100, 100], 0));
    // A remainder keeps it inside.
    let (mut parting, mut body) = (Parting::new(), Block::new());
    let zero = parting.constant(&mut body, U32, 0);
    let hundred = parting.constant(&mut body, U32, 100);
    let read = parting.register(RegType::F32);
    let at = [zero].into_iter().collect();
    body.push(Statement::Load { result: read, place: Place::Array(0), part: 0, at });
    let at = parting.step(&mut body, Op::Cast { from: RegType::F32 }, U32, [read, 0, 0]);
    let at = parting.step(&mut body, Op::Prim(Prim::Rem), U32, [at, hundred, 0]);
    parting.copy(&mut body, at);
    assert!(inside(parting, body, [100, 100], 0));
}
