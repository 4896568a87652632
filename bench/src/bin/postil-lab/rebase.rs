//! Answers `rebase` cases: what is left of a suggestion after somebody went on typing.
//!
//! Cases count code points; the engine counts bytes.

use std::ops::Range;

use postil_core::edit::{
    AgreementMode, AutoClose, EditOrigin, ReapplyOutcome, ReapplyRequest, Replacement, Rules, SuggestedStep,
    SuggestedSteps, Swallowed, TextEdit,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::stored::LabError;

/// A case.
#[derive(Debug, Deserialize)]
pub struct RebaseCase {
    original: String,
    edit_window: Option<RebasePair>,
    cached_edits: Vec<CaseEdit>,
    user_edits: Vec<CaseEdit>,
    current: Option<String>,
    #[serde(default)]
    selection: Option<Vec<RebasePair>>,
    #[serde(default)]
    mode: ModeWord,
    #[serde(default)]
    api: Api,
    #[serde(default)]
    options: Option<RebaseArgs>,
}

#[derive(Clone, Debug, Deserialize)]
struct CaseEdit {
    start: usize,
    end: usize,
    text: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum RebasePair {
    List([usize; 2]),
    Named { start: usize, end: usize },
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ModeWord {
    #[default]
    Strict,
    Lenient,
}

/// How the cached edits are meant.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Api {
    /// All against the original.
    RebaseEdits,
    /// Each against the result of those before, with window and selection.
    #[default]
    TryRebase,
    /// By position alone.
    Transform,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct RebaseArgs {
    absorb_auto_close: bool,
}

/// Answers one case.
pub fn answer(case: RebaseCase) -> Result<Value, LabError> {
    let original = Points::of(&case.original);
    let Some(users) = original.edit(&case.user_edits) else {
        return Ok(refused(
            "inconsistentEdits",
            &json!({ "why": "the user's edits do not fit the original" }),
        ));
    };
    let users = users.map_data(|_, _| ());
    let edited = String::from_utf8(users.apply(case.original.as_bytes())?)?;
    let current = case.current.unwrap_or_else(|| edited.clone());
    let suggested = match case.api {
        Api::TryRebase => steps(&case.original, &case.cached_edits)?.compose(case.original.as_bytes())?,
        Api::RebaseEdits | Api::Transform => {
            original.edit(&case.cached_edits).ok_or("the cached edits do not fit the original")?
        }
    };
    if matches!(case.api, Api::Transform) && edited == current {
        let swallowed = match case.mode {
            ModeWord::Strict => Swallowed::Refuse,
            ModeWord::Lenient => Swallowed::Drop,
        };
        return match suggested.transform(&users, swallowed) {
            Some(moved) => accepted(&moved.normalise(current.as_bytes())?, &current),
            None => Ok(refused("rebaseFailed", &json!({ "why": "the user replaced the same text" }))),
        };
    }
    let (window, selections) = match case.api {
        Api::TryRebase => {
            let selection = case.selection.unwrap_or_default();
            let points = Points::of(&current);
            (
                case.edit_window.map(|pair| original.range(pair)),
                selection.iter().map(|pair| points.range(*pair)).collect(),
            )
        }
        Api::RebaseEdits | Api::Transform => (None, Vec::new()),
    };
    let request = ReapplyRequest {
        original: case.original.as_bytes(),
        window,
        suggested: &suggested,
        users: &users,
        current: current.as_bytes(),
        selections: &selections,
        rules: Rules {
            mode: match case.mode {
                ModeWord::Strict => AgreementMode::Strict,
                ModeWord::Lenient => AgreementMode::Lenient,
            },
            auto_close: if case.options.unwrap_or_default().absorb_auto_close {
                AutoClose::Absorb
            } else {
                AutoClose::Typed
            },
            origin: EditOrigin::Typed,
        },
    };
    outcome(request.outcome()?, &original, &current)
}

fn outcome(outcome: ReapplyOutcome, original: &Points, current: &str) -> Result<Value, LabError> {
    Ok(match outcome {
        ReapplyOutcome::Rebased(left) => accepted(&left, current)?,
        ReapplyOutcome::Done => accepted(&TextEdit::nothing(), current)?,
        ReapplyOutcome::Conflict(conflict) => {
            let reason = json!({
                "why": conflict.to_string(),
                "index": conflict.data,
                "suggested": original.shown(&conflict.suggested),
                "expected": String::from_utf8_lossy(&conflict.expected),
                "user": original.shown(&conflict.users),
                "typed": String::from_utf8_lossy(&conflict.typed),
            });
            refused("rebaseFailed", &reason)
        }
        ReapplyOutcome::OutsideWindow { window, selection } => {
            let points = Points::of(current);
            let reason = json!({ "window": points.shown(&window), "selection": points.shown(&selection) });
            refused("outsideEditWindow", &reason)
        }
        ReapplyOutcome::Inconsistent { differs_at, edited_length, current_length } => {
            let reason = json!({
                "differs_at_byte": differs_at, "edited_bytes": edited_length, "current_bytes": current_length,
            });
            refused("inconsistentEdits", &reason)
        }
    })
}

fn accepted(left: &TextEdit<usize>, current: &str) -> Result<Value, LabError> {
    let points = Points::of(current);
    let edits: Vec<_> = left
        .replacements()
        .iter()
        .map(|replacement| {
            let [start, end] = points.shown(&replacement.range());
            let text = String::from_utf8_lossy(replacement.text());
            json!({ "start": start, "end": end, "text": text, "index": replacement.data() })
        })
        .collect();
    let kind = if edits.is_empty() { "done" } else { "edits" };
    let result = String::from_utf8(left.apply(current.as_bytes())?)?;
    Ok(json!({ "kind": kind, "edits": edits, "result": result }))
}

fn refused(kind: &str, reason: &Value) -> Value {
    json!({ "kind": kind, "edits": [], "result": null, "reason": reason })
}

fn steps(original: &str, edits: &[CaseEdit]) -> Result<SuggestedSteps, LabError> {
    let mut text = original.to_owned();
    let mut steps = Vec::new();
    for edit in edits {
        let range = Points::of(&text).exact(edit.start, edit.end).ok_or("a cached edit does not fit")?;
        text.replace_range(range.clone(), &edit.text);
        steps.push(SuggestedStep::from(Replacement::new(range, edit.text.as_str(), ())));
    }
    Ok(SuggestedSteps(steps))
}

/// Where the code points of a text are.
struct Points {
    /// The offset of each, and one more behind the last.
    offsets: Vec<usize>,
}

impl Points {
    fn of(text: &str) -> Self {
        Self { offsets: text.char_indices().map(|(at, _)| at).chain([text.len()]).collect() }
    }

    /// A range of bytes; one that ends behind the text ends with it.
    fn range(&self, pair: RebasePair) -> Range<usize> {
        let (RebasePair::List([start, end]) | RebasePair::Named { start, end }) = pair;
        let last = self.offsets.len() - 1;
        self.offsets[start.min(last)]..self.offsets[end.min(last)]
    }

    /// A range of bytes, if the text has it.
    fn exact(&self, start: usize, end: usize) -> Option<Range<usize>> {
        (start <= end).then_some(*self.offsets.get(start)?..*self.offsets.get(end)?)
    }

    fn shown(&self, range: &Range<usize>) -> [usize; 2] {
        [range.start, range.end].map(|at| self.offsets.partition_point(|offset| *offset < at))
    }

    /// Edits that all count in this text, in any order; their data is their index.
    fn edit(&self, edits: &[CaseEdit]) -> Option<TextEdit<usize>> {
        let replacements = edits.iter().enumerate().map(|(index, edit)| {
            Some(Replacement::new(self.exact(edit.start, edit.end)?, edit.text.as_str(), index))
        });
        let mut replacements: Vec<_> = replacements.collect::<Option<_>>()?;
        replacements.sort_by_key(|replacement| (replacement.start(), replacement.end()));
        TextEdit::new(replacements).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(case: Value, kind: &str, result: &str) {
        let answer = answer(serde_json::from_value(case).unwrap()).unwrap();
        assert_eq!((answer["kind"].as_str(), answer["result"].as_str().unwrap_or("")), (Some(kind), result));
    }

    #[test]
    fn offsets_count_code_points() {
        let case = json!({
            "api": "try_rebase", "original": "é = 1", "edit_window": null, "mode": "strict", "selection": [],
            "cached_edits": [{ "start": 4, "end": 5, "text": "ö" }],
            "user_edits": [{ "start": 0, "end": 1, "text": "ßß" }], "current": "ßß = 1",
        });
        check(case.clone(), "edits", "ßß = ö");
        let answer = answer(serde_json::from_value(case).unwrap()).unwrap();
        assert_eq!(answer["edits"], json!([{ "start": 5, "end": 6, "text": "ö", "index": 0 }]));
    }

    #[test]
    fn each_meaning_of_the_cached_edits_is_known() {
        let case = |api: &str, mode: &str, user: Value| {
            json!({
                "api": api, "original": "abc", "mode": mode, "current": null, "user_edits": user,
                "cached_edits": [{ "start": 1, "end": 1, "text": "xy" }, { "start": 2, "end": 2, "text": "z" }],
            })
        };
        check(case("rebase_edits", "strict", json!([])), "edits", "axybzc");
        check(case("try_rebase", "strict", json!([])), "edits", "axzybc");
        check(case("transform", "strict", json!([{ "start": 0, "end": 1, "text": "" }])), "edits", "xybzc");
        check(
            case("transform", "strict", json!([{ "start": 0, "end": 3, "text": "q" }])),
            "rebaseFailed",
            "",
        );
        check(case("transform", "lenient", json!([{ "start": 0, "end": 3, "text": "q" }])), "done", "q");
        check(
            case("rebase_edits", "strict", json!([{ "start": 9, "end": 9, "text": "" }])),
            "inconsistentEdits",
            "",
        );
    }
}
