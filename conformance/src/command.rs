//! What the command lines of this crate's programs share: exit codes, and values of options.

use std::fmt::Display;
use std::process::ExitCode;

/// 0 if all is well, 1 if something failed, 2 with a line on standard error if nothing could be run.
pub fn exit(done: Result<bool, impl Display>) -> ExitCode {
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// The value of an option that counts something.
///
/// # Errors
/// It is missing, or no positive number.
pub fn positive(parser: &mut lexopt::Parser) -> Result<usize, lexopt::Error> {
    use lexopt::ValueExt as _;
    parser.value()?.parse_with(|text| {
        text.parse().ok().filter(|&number| number > 0).ok_or("not a positive number")
    })
}
