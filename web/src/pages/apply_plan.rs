//! What applying suggestions to the files on disk would do, for the person who decides.

use maud::{Markup, html};
use postil_protocol::{AskedSuggestion, PlanReply, PlannedFile, SuggestionState, UndoReply};

use super::file_key::shown;
use super::snippet::Snippet;
use super::threads::{both_sides, fate};

/// A plan, the suggestions that it could be of, and what was applied last.
#[derive(Debug)]
pub(crate) struct ApplyPlan<'a> {
    /// What would be written.
    pub plan: &'a PlanReply,
    /// All open suggestions.
    pub open: &'a [AskedSuggestion],
    /// What was applied last, if that can be undone.
    pub last: Option<&'a UndoReply>,
}

/// The plan, as a part of a dialog.
pub(crate) fn apply_plan(shown: &ApplyPlan<'_>) -> Markup {
    let plan = shown.plan;
    let is_chosen = |said: &AskedSuggestion| plan.suggestions.iter().any(|chosen| chosen.id == said.id);
    let others = plan.suggestions.iter().filter(|chosen| shown.open.iter().all(|said| said.id != chosen.id));
    let undo = shown.last.map(|last| last.what.as_str());
    html! {
        div.plan data-token=(plan.token) data-files=(plan.files.len()) data-undo=[undo] {
            @if shown.open.is_empty() && plan.suggestions.is_empty() {
                p.quiet { "There are no open suggestions." }
            } @else {
                fieldset.chosen {
                    legend { "Suggestions" }
                    @for said in others.chain(shown.open) { (choice(said, is_chosen(said))) }
                }
            }
            @for conflict in &plan.conflicts { (both_sides(conflict)) }
            @for file in &plan.files { (planned(file)) }
            @if plan.files.is_empty() && plan.conflicts.is_empty() && !plan.suggestions.is_empty() {
                p.quiet { (nothing(plan.state)) }
            }
        }
    }
}

fn choice(said: &AskedSuggestion, is_chosen: bool) -> Markup {
    let (word, class) = fate(said.state);
    html! {
        label {
            input type="checkbox" value=(said.id.as_str()) data-thread=(said.thread.as_str()) checked[is_chosen];
            span { strong { (said.author.name) } ": " (said.subject) " " span.chip.(class) { (word) } }
        }
    }
}

fn planned(file: &PlannedFile) -> Markup {
    let name = file.to.as_ref().or(file.from.as_ref()).map(shown).unwrap_or_default();
    html! {
        section.planned {
            h3 {
                code { (name) }
                @if file.from.is_none() { " " span.chip { "new file" } }
                @if file.to.is_none() { " " span.chip { "deleted" } }
            }
            (Snippet::unified(file.diff.as_bytes()).markup())
        }
    }
}

/// Why there is nothing to write.
fn nothing(state: SuggestionState) -> &'static str {
    match state {
        SuggestionState::Done => "All of it is in the files already.",
        SuggestionState::Pending => "The files that it was made for are not in this repository.",
        SuggestionState::Applies | SuggestionState::Conflict => "There is nothing to write.",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::samples::HOSTILE;
    use super::*;

    fn plan() -> PlanReply {
        let said = |id: &str, state: &str| {
            json!({
                "id": id, "short": id, "thread": "cc", "author": { "name": HOSTILE, "email": "a@b" }, "subject": HOSTILE,
                "state": state,
            })
        };
        let file = json!({
            "from": "src/a.rs", "to": "src/a.rs", "matched": null, "disk": null, "content": "x", "executable": false,
            "diff": "@@ -1 +1 @@\n-a\n+<script>\n",
        });
        let conflict = json!({
            "path": "src/b.rs", "code": "overlap", "why": HOSTILE, "expected": ["old <line>"], "actual": ["new <line>"], "line": 7,
        });
        let plan = json!({
            "state": "applies", "suggestions": [said("aa", "applies")], "files": [file], "conflicts": [conflict], "token": "t1",
        });
        serde_json::from_value(plan).unwrap()
    }

    #[test]
    fn a_plan_shows_what_would_be_written_both_sides_of_conflicts_and_its_token() {
        let plan = plan();
        let shown = ApplyPlan { plan: &plan, open: &plan.suggestions, last: None };
        let html = apply_plan(&shown).into_string();
        assert!(html.contains("data-token=\"t1\"") && html.contains("data-files=\"1\""));
        assert_eq!(html.matches("type=\"checkbox\"").count(), 1, "each suggestion is there once");
        assert!(html.contains(" checked") && html.contains("src/b.rs:7"));
        assert!(html.contains("old &lt;line&gt;") && html.contains("new &lt;line&gt;"));
        assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
    }
}
