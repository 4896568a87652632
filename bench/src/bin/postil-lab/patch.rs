//! Answers `patch` cases: a text with a patch of some form applied, or why it was not.

use postil_core::git::RepoPath;
use postil_core::patch::{FilePatch, ParsedPatch, PatchFailure as Refusal, PatchForm, PlanError, flatten};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::stored::LabError;

/// A case.
#[derive(Debug, Deserialize)]
pub struct PatchCase {
    format: Option<CaseFormat>,
    path: String,
    base: Option<String>,
    patch: CaseText,
    #[serde(default)]
    reverse: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CaseFormat {
    Unified,
    ApplyPatch,
    SearchReplace,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum CaseText {
    Whole(String),
    Lines(Vec<String>),
}

/// Answers one case.
pub fn answer(case: PatchCase) -> Result<Value, LabError> {
    let text = match &case.patch {
        CaseText::Whole(text) => text.clone(),
        CaseText::Lines(lines) => flatten(lines.iter().map(String::as_str)),
    };
    let form = match case.format {
        Some(CaseFormat::Unified) => PatchForm::Unified,
        Some(CaseFormat::ApplyPatch) => PatchForm::BeginEnd,
        Some(CaseFormat::SearchReplace) => PatchForm::SearchReplace,
        None => PatchForm::detect(text.as_bytes()),
    };
    let path = RepoPath::new(case.path.as_bytes()).ok_or("the path is none")?;
    let mut patch = match ParsedPatch::read_as(text.as_bytes(), form) {
        Ok(patch) => patch,
        Err(error) => return Ok(refused(&error.to_string(), &Value::Null)),
    };
    if case.reverse {
        patch = patch.reversed();
    }
    if patch.files.iter().any(|file| names(file, &path)) {
        patch.files.retain(|file| names(file, &path));
    } else if let [file] = patch.files.as_mut_slice() {
        // There is no other file that a case could mean.
        (file.old_path, file.new_path) = (None, None);
    }
    let base = case.base.map(String::into_bytes);
    match patch.plan(Some(&path), |asked| base.clone().filter(|_| *asked == path)) {
        Ok(plan) => {
            let change = plan.last().ok_or("the patch changes nothing")?;
            let result = String::from_utf8_lossy(&change.applied.text);
            let stages = plan.iter().flat_map(|change| change.applied.stages());
            let stages: Vec<_> = stages.map(postil_core::patch::PlacementStage::name).collect();
            Ok(json!({ "ok": true, "result": result, "stages": stages, "error": null }))
        }
        Err(PlanError::AlreadyApplied) => {
            let mut answer = refused("the patch is applied already", &Value::Null);
            answer["already_applied"] = true.into();
            Ok(answer)
        }
        Err(PlanError::Files { failed, .. }) => {
            let first = failed.first().map_or_else(String::new, |file| file.failure.to_string());
            let hunks = failed.iter().map(|file| &file.failure).flat_map(shown).collect();
            Ok(refused(&first, &Value::Array(hunks)))
        }
    }
}

fn names(file: &FilePatch, path: &RepoPath) -> bool {
    let paths = [&file.old_path, &file.new_path];
    paths.into_iter().flatten().any(|named| named.path == *path || named.written.as_ref() == Some(path))
}

fn refused(error: &str, hunks: &Value) -> Value {
    json!({ "ok": false, "result": null, "stages": [], "error": error, "hunks": hunks })
}

fn shown(failure: &Refusal) -> Vec<Value> {
    let Refusal::Hunks { failed, .. } = failure else { return Vec::new() };
    let lines = |lines: &[Vec<u8>]| -> Vec<String> {
        lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    };
    let hunks = failed.iter().map(|hunk| {
        json!({
            "hunk": hunk.hunk, "why": hunk.why.to_string(), "line": hunk.line,
            "expected": lines(&hunk.expected), "actual": lines(&hunk.actual),
        })
    });
    hunks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(case: Value, ok: bool, result: Option<&str>) {
        let answer = answer(serde_json::from_value(case).unwrap()).unwrap();
        assert_eq!((answer["ok"].as_bool(), answer["result"].as_str()), (Some(ok), result), "{answer}");
    }

    #[test]
    fn every_form_is_answered() {
        let case = |format: &str, patch: Value| json!({ "format": format, "path": "f.txt", "base": "a\nb\n", "patch": patch });
        check(case("unified", json!("@@ -1,2 +1,2 @@\n a\n-b\n+c\n")), true, Some("a\nc\n"));
        check(case("unified", json!(["@@ -1,2 +1,2 @@\n a", "-b\n+c"])), true, Some("a\nc\n"));
        let blocks = "<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n";
        check(case("search_replace", json!(blocks)), true, Some("a\nc\n"));
        let begun = "*** Begin Patch\n*** Update File: f.txt\n@@\n-b\n+c\n*** End Patch\n";
        check(case("apply_patch", json!(begun)), true, Some("a\nc\n"));
        check(case("unified", json!("@@ -1,2 +1,2 @@\n x\n-y\n+z\n")), false, None);
        check(case("unified", json!("nothing")), false, None);
    }

    #[test]
    fn of_several_files_the_one_that_is_asked_for_is_patched() {
        let patch = "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n";
        check(json!({ "path": "f", "base": "a\n", "patch": patch }), true, Some("b\n"));
        check(json!({ "path": "f", "base": "b\n", "patch": patch, "reverse": true }), true, Some("a\n"));
    }
}
