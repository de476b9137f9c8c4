//! Claims that end in every way, with a second thread waiting.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::*;

/// Reads an array on another thread.
fn read_elsewhere(array: &Array) -> Receiver<Result<Vec<i64>>> {
    let (send, receive) = channel();
    let array = array.clone();
    std::thread::spawn(move || {
        let _guard = Device::open("reference").expect("always there").enter();
        send.send(array.to_vec::<i64>())
    });
    receive
}

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(50);

#[test]
fn a_thread_that_waits_for_a_returned_claim_computes_the_node() {
    let _guard = Device::open("reference").expect("always there").enter();
    for of_root in [true, false] {
        let x = Array::from([1i64, 2]);
        let inner = &x + 1;
        let root = &inner * 2;
        let claimed = if of_root { root.node() } else { inner.node() };
        let expr = claimed.claim().expect("pending");
        let answer = read_elsewhere(&root);
        assert!(answer.recv_timeout(SHORT).is_err(), "it has to wait");
        claimed.put_back(expr);
        let values = answer.recv_timeout(LONG).expect("woken");
        assert_eq!(values.expect("nothing fails"), [4, 6]);
    }
}

#[test]
fn a_thread_that_waits_for_an_abandoned_claim_gets_an_error() {
    let _guard = Device::open("reference").expect("always there").enter();
    let inner = Array::from([1i64, 2]) + 1;
    let root = &inner * 2;
    let expr = inner.node().claim().expect("pending");
    let answer = read_elsewhere(&root);
    assert!(answer.recv_timeout(SHORT).is_err(), "it has to wait");
    inner.node().abandon(expr.op());
    let values = answer.recv_timeout(LONG).expect("woken");
    assert_eq!(values.expect_err("abandoned").class(), "RuntimeError");
}

#[test]
fn results_of_one_kernel_share_its_code_and_its_numbers() {
    let _guard = Device::open("reference").expect("always there").enter();
    let halved = kernel::elementwise("halved", |k, [x, by]| {
        let state = [x, k.value(0)];
        k.repeat_while(99, state, |[x, _]| x.greater(1.0), |[x, n]| [x / by, n + 1])
    });
    let [last, steps] = halved.call((&Array::from([8.0, 5.0]), 2.0));
    let node = last.node();
    let expr = node.claim().expect("pending");
    {
        let builder = ndany_core::program::Builder::new();
        let mut trace = super::trace::Trace::new(&builder, node.layout.shape.clone(), 1024);
        assert!(trace.root(&expr, node.dtype).is_ok());
        assert!(trace.join(node, &expr, &[]).is_ok());
        assert_eq!(trace.scalars.len(), 1, "the number comes once");
        assert_eq!(trace.claims.len(), 1, "the other result comes along");
        let mut program = trace.program();
        builder.move_to(&mut program);
        assert_eq!(program.loops.len(), 1, "{program}");
    }
    node.put_back(expr);
    assert_eq!(last.to_vec::<f64>().expect("halves"), [1.0, 0.625]);
    assert_eq!(steps.to_vec::<i64>().expect("steps"), [3, 3]);
}

#[test]
fn memory_of_no_interest_is_taken_by_eval_and_reads_as_zeros() {
    let _guard = Device::open("reference").expect("always there").enter();
    let blank = empty([2, 3], DType::F64);
    for _ in 0..2 {
        blank.eval().expect("memory");
        assert!(format!("{blank:?}").contains("pending"), "{blank:?}");
    }
    let before = Statistics::now();
    assert_eq!((&blank + 1).to_vec::<f64>().expect("ones"), [1.0; 6]);
    assert_eq!(blank.transpose(..).to_vec::<f64>().expect("zeros"), [0.0; 6]);
    let mut written = empty([2, 3], DType::F64);
    written.eval().expect("memory");
    written.try_set(s![1], Array::from([1.0, 2.0, 3.0])).expect("a row");
    assert_eq!(written.to_vec::<f64>().expect("both"), [0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
    assert!(Statistics::now().since(&before).maps > 0);
    // Its memory goes with it, whether or not it was ever read.
    drop(blank);
}

#[test]
fn rows_that_may_fail_are_those_whose_programs_may() {
    for row in ndany_core::ops::UfuncDef::all() {
        for dtype in DType::ALL {
            let Ok((compute, _)) = row.signature.resolve(row.name, dtype) else { continue };
            // The only step that may fail is one of integers, of which `nan_to_num` is never asked.
            if !compute.is_int() || row.name == "nan_to_num" {
                continue;
            }
            let builder = ndany_core::program::Builder::new();
            let part = |dtype: DType, input| {
                let op = ndany_core::program::Op::Load { input, part: 0 };
                builder.push(op, ndany_core::program::RegType::of(dtype), [0; 3])
            };
            let operand = |input: usize| {
                let condition = row.arity == 3 && input == 0;
                let dtype = if condition { DType::Bool } else { compute };
                let input = input as u16;
                ndany_core::ops::lowering::LoweredValue::Real(part(dtype, input))
            };
            let operands: Vec<_> = (0..row.arity).map(operand).collect();
            let _ = (row.lower)(&builder, compute, &operands);
            let mut program = ndany_core::program::Program::default();
            builder.move_to(&mut program);
            let fails = program.fails();
            let name = row.name;
            let unsigned = compute.is_unsigned();
            assert_eq!(row.may_fail(compute), fails && !unsigned, "{name} of {dtype}");
        }
    }
}
