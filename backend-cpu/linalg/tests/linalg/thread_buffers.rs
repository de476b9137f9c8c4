//! The buffers that the library keeps for each thread.

use ndany_linalg::prepare;

#[test]
fn a_thread_prepares_once() {
    let prepared = || [prepare(), prepare()];
    assert_eq!(prepared(), [Ok(()); 2]);
    assert_eq!(std::thread::spawn(prepared).join().expect("no panic"), [Ok(()); 2]);
}
