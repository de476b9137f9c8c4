//! Walks over statements.

use super::Statement;

/// Calls `f` with each statement, those within others after the one that they are in.
pub(super) fn statement<'s>(block: &'s [Statement], f: &mut impl FnMut(&'s Statement)) {
    for one in block {
        f(one);
        match one {
            Statement::If { then, otherwise, .. } => {
                statement(then, f);
                statement(otherwise, f);
            }
            Statement::Loop { head, body, next, .. } => {
                statement(head, f);
                statement(body, f);
                statement(next, f);
            }
            Statement::Call { body } => statement(body, f),
            _ => {}
        }
    }
}
