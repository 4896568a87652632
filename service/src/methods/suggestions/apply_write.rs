//! Writes what `apply` or `patch` planned into the files of the person who asks.

use postil_protocol::{
    ApplyWrite, ApplyWriteReply, ChangeInto, Fault, FaultCode, Mark, PlanReply, SuggestionState,
};

use crate::apply::git_index::head;
use crate::apply::record_change::{check_recordable, commit_message, record};
use crate::apply::write_files::{IndexAfter, write_files};
use crate::repository::work_tree::WorkTree;

/// The name of a patch in messages.
const PATCH: &str = "the patch";

/// Writes the files of a plan, and stages or commits them if that is asked for; `email` is that of the person.
pub fn apply_write(
    work_tree: &WorkTree,
    email: Option<&str>,
    asked: &ApplyWrite,
) -> Result<ApplyWriteReply, Fault> {
    let plan = &asked.plan;
    if let Some(expected) = &asked.expect {
        plan.check_token(expected)?;
    }
    if plan.files.is_empty() {
        return Err(Fault::new(FaultCode::Refused, "the plan contains no files to write"));
    }
    check_recordable(work_tree, &plan.files, asked.into)?;
    let index = if asked.into == ChangeInto::Files { IndexAfter::Same } else { IndexAfter::Staged };
    let what = name_of(plan);
    write_files(work_tree, &plan.files, &what, index)?;
    let message = || commit_message(&plan.suggestions, email);
    let not_recorded = record(work_tree, &plan.files, asked.into, message);
    let is_committed = asked.into == ChangeInto::Commit && not_recorded.is_none();
    let commit = if is_committed { head(work_tree) } else { None };
    Ok(ApplyWriteReply { what, not_recorded, commit, mark: Mark::default(), warnings: Vec::new() })
}

/// What a plan is called in the undo journal.
fn name_of(plan: &PlanReply) -> String {
    let changing = plan.suggestions.iter().filter(|suggestion| suggestion.state != SuggestionState::Done);
    let names: Vec<&str> = changing.map(|suggestion| suggestion.short.as_str()).collect();
    if names.is_empty() { PATCH.to_owned() } else { names.join(", ") }
}
