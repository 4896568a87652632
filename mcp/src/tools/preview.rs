//! `preview`: what a suggestion would change in the files as they are; it never changes them.

use std::fmt::Write as _;

use postil_compact::{DATA_NOTE, author_words, plain_path};
use postil_protocol::{Apply, ByteText, ConflictView, PlanReply, SuggestionState};
use postil_words::block::{push_block, word};
use postil_words::sanitize;

use super::arguments::ToolArguments;
use super::failing::failed;
use super::pages::AnswerPage;
use super::review_tools::Asked;
use crate::wire::toolbox::ToolAnswer;

pub(super) fn preview(asked: &mut Asked<'_>) -> ToolAnswer {
    let arguments = match ToolArguments::of(&asked.call.arguments, &["id", "cursor"]) {
        Ok(arguments) => arguments,
        Err(refused) => return refused,
    };
    let (id, page) = match arguments.needed("id").and_then(|id| Ok((id, AnswerPage::asked(arguments)?))) {
        Ok(asked) => asked,
        Err(refused) => return refused,
    };
    match asked.session.ask(Apply { comments: vec![id.to_owned()], ..Apply::default() }) {
        Ok(plan) => page.of(&text(&plan)),
        Err(error) => failed(&error),
    }
}

fn text(plan: &PlanReply) -> String {
    let mut text = format!("{DATA_NOTE}\n");
    let by = plan.suggestions.first();
    let by = by.map(|said| format!("{}{}", word(&said.short), author_words(&said.author)));
    let told = match plan.state {
        SuggestionState::Applies => "suggestion-applies",
        SuggestionState::Done => "suggestion-done",
        SuggestionState::Conflict => "suggestion-conflicts",
        SuggestionState::Pending => "suggestion-unknown: the files it was made for are not here",
    };
    let _ = writeln!(text, "{told} {}", by.unwrap_or_default());
    plan.conflicts.iter().for_each(|conflict| push_conflict(&mut text, conflict));
    for file in &plan.files {
        push_block(&mut text, &String::from_utf8_lossy(file.diff.as_bytes()), "|~");
    }
    if plan.state == SuggestionState::Applies {
        text.push_str("only a person applies it (`postil apply`), or you edit the files yourself\n");
    }
    text
}

/// What is expected begins as code that was there, and what is found as code that is there.
fn push_conflict(text: &mut String, conflict: &ConflictView) {
    if let Some(path) = &conflict.path {
        let _ = writeln!(text, "== {}", plain_path(path));
    }
    let _ = writeln!(text, "conflict: {}", sanitize::line(conflict.why.as_bytes()));
    for line in &conflict.expected {
        push_code(text, "-", line);
    }
    for (number, line) in (conflict.line.unwrap_or(1)..).zip(&conflict.actual) {
        push_code(text, &format!("{number}:"), line);
    }
}

/// A line of code, with its tabs, and nothing hidden.
fn push_code(text: &mut String, mark: &str, line: &ByteText) {
    text.push_str(mark);
    sanitize::push_diff_text(text, line.as_bytes().trim_ascii_end());
    text.push('\n');
}
