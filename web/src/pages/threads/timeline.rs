//! What happened in a thread, oldest first, and where it was at each commit.

use maud::{Markup, PreEscaped, html};
use postil_protocol::{ChangeKind, CommentTrust, LogReply, LogStep, TimelineView};

use super::author::{avatar, vouched, who, who_text};
use super::position_words::{place, reason, word};
use super::state_shape::shape;
use crate::markdown;
use crate::pages::file_key::shown;
use crate::pages::shell::PageFrame;
use crate::pages::when::ago;

/// More steps than this are not shown.
const MAX_STEPS: usize = 200;

/// Both lists of a thread.
pub(crate) fn timeline(log: &LogReply, frame: &PageFrame<'_>) -> Markup {
    html! {
        div.timeline {
            h4 { "What happened" }
            ol.happened { @for one in &log.timeline { (happened(one, frame)) } }
            @if !log.steps.is_empty() {
                h4 { "Where it was" }
                ol.steps { @for step in log.steps.iter().take(MAX_STEPS) { (step_of(step, log, frame)) } }
                @if log.truncated || log.steps.len() > MAX_STEPS { p.quiet { "Older commits are not shown." } }
            }
        }
    }
}

fn happened(one: &TimelineView, frame: &PageFrame<'_>) -> Markup {
    let text = one.text.as_deref().filter(|text| !text.trim().is_empty());
    html! {
        li {
            div.by {
                (avatar(&one.author)) (who(&one.author)) span { (did(one)) } (ago(one.at, frame.now))
                @if one.draft { span.chip.draft { "draft" } }
                (vouched(CommentTrust::Unsigned, one.signature.as_ref()))
            }
            @if let Some(text) = text { div.text { (PreEscaped(markdown::to_html(text))) } }
        }
    }
}

/// What somebody did, as it follows their name.
fn did(one: &TimelineView) -> String {
    let commit = one.commit.as_ref().map(|commit| short(commit.as_str()));
    let to = one.anchor.as_ref().map(|anchor| place(anchor));
    let by = |what: &str, word: &str| match &commit {
        Some(commit) => format!("{what} {word} {commit}"),
        None => what.to_owned(),
    };
    match one.what {
        ChangeKind::Commented => "commented".to_owned(),
        ChangeKind::Replied => "replied".to_owned(),
        ChangeKind::Suggested => "suggested a change".to_owned(),
        ChangeKind::Edited => "changed the text to".to_owned(),
        ChangeKind::Proposed => match (&to, &commit) {
            (Some(to), _) => format!("proposed to move it to {to}"),
            (None, Some(commit)) => format!("said that it is done at {commit}"),
            (None, None) => "proposed another text".to_owned(),
        },
        ChangeKind::Declined => "declined what was proposed".to_owned(),
        ChangeKind::Moved => to.map_or_else(|| "moved it".to_owned(), |to| format!("moved it to {to}")),
        ChangeKind::Resolved => by("resolved it", "by"),
        ChangeKind::Retired => "no longer reports it".to_owned(),
        ChangeKind::Applied => by("applied the suggestion", "in"),
        ChangeKind::Reopened => "reopened it".to_owned(),
        ChangeKind::Withdrawn => "withdrew it".to_owned(),
        ChangeKind::Published => "published it".to_owned(),
        _ => "changed something".to_owned(),
    }
}

fn step_of(step: &LogStep, log: &LogReply, frame: &PageFrame<'_>) -> Markup {
    let position = &step.position;
    let anchor = step.anchor.as_ref().or(log.thread.anchor.as_ref());
    let why = anchor.map(|anchor| reason(position, anchor)).unwrap_or_default();
    html! {
        li {
            span class={ "state " (word(position.state)) } { (shape(position.state)) (word(position.state)) }
            @if let Some(path) = &position.path {
                code { (shown(path)) @if let Some(range) = position.range { ":" (range) } }
            }
            @if !why.is_empty() { span.why { (why) } }
            span.quiet {
                @match &step.commit {
                    Some(commit) => { code { (short(commit.as_str())) } " " (step.subject) }
                    None => "files on disk"
                }
                @if step.rewritten { " (rewritten since)" }
                @if let Some(by) = &step.by { ", moved by " (who_text(by)) }
            }
            @if let Ok(time) = u64::try_from(step.time) { @if time > 0 { (ago(time * 1000, frame.now)) } }
        }
    }
}

fn short(commit: &str) -> String {
    commit[..7.min(commit.len())].to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pages::samples::{HOSTILE, frame, thread};

    #[test]
    fn what_happened_and_where_it_was_are_told_and_nothing_is_markup() {
        let by = json!({ "name": HOSTILE, "email": "a@b" });
        let one = |what: &str, commit: Option<&str>| json!({ "what": what, "record": "aa", "of": "aa", "author": by, "at": 1_700_000_000_000_u64, "text": HOSTILE, "commit": commit });
        let shifted = thread("aa", "shifted", "new", Some(3), "x");
        let step = json!({ "commit": "abcdef0123", "subject": HOSTILE, "time": 1_700_000_000, "position": shifted["position"], "by": null });
        let log = json!({
            "thread": shifted, "steps": [step], "truncated": true,
            "timeline": [one("commented", None), one("resolved", Some("0123456789"))],
        });
        let log: LogReply = serde_json::from_value(log).unwrap();
        let html = timeline(&log, &frame()).into_string();
        assert!(
            html.contains("resolved it by 0123456") && html.contains("abcdef0") && html.contains("src/a.rs")
        );
        assert!(html.contains("Older commits are not shown."));
        assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
    }
}
