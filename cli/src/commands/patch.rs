//! `postil patch`

use std::path::PathBuf;

use postil_client::Checkout;
use postil_core::patch::flatten;
use postil_protocol::{ByteText, In, Patch, PatchText};
use serde_json::Value;

use super::writing::{self, WriteArgs};
use super::{Context, change, paths};
use crate::failure::{Failure, Kind};

/// Apply patches of any form
///
/// Example:
///
///     postil patch apply answer.md
#[derive(Debug, clap::Subcommand)]
#[command(verbatim_doc_comment)]
pub enum PatchCommand {
    Apply(ApplyPatchArgs),
}

/// Apply a patch to the files on disk, also one that a language model wrote
///
/// Reads unified diffs with wrong or missing headers, code fences around them,
/// other line ends, quotes or indentation; search/replace blocks; what stands
/// between `*** Begin Patch` and `*** End Patch`; and JSON with `path` and
/// `patch_lines`, one object or a list. Each hunk has one place, or none: then
/// nothing is written at all. Paths in a patch are from the root of the
/// repository.
///
/// Examples:
///
///     postil patch apply answer.md
///     postil patch apply --check --json < answer.json
///     postil patch apply --path src/lib.rs hunks.txt
///     postil patch apply --reverse answer.md
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ApplyPatchArgs {
    /// The patch; `-`, or none, is standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    file: PathBuf,

    /// The file that is meant where the patch names none
    #[arg(long, value_name = "FILE")]
    path: Option<PathBuf>,

    /// Undo what the patch does
    #[arg(short = 'R', long)]
    reverse: bool,

    #[command(flatten)]
    write: WriteArgs,
}

/// Applies.
pub fn run(command: &PatchCommand, context: &Context) -> Result<(), Failure> {
    let PatchCommand::Apply(args) = command;
    let (mut session, mut screen) = context.begin()?;
    let read = change::read(&context.at.directory, &args.file);
    let patches = read.and_then(|bytes| patches(bytes, args.path.as_ref(), session.checkout()));
    let asked = patches.and_then(|patches| session.ask(Patch { patches, reverse: args.reverse }));
    let mut reply = match asked {
        Ok(reply) => reply,
        Err(failure) => return writing::told::<In<Patch>>(context, screen, None, Err(failure)),
    };
    let record = args.write.record();
    let outcome = writing::write(
        &args.write,
        context,
        session.checkout(),
        &mut screen,
        &mut reply,
        "the patch",
        &record,
    );
    writing::told::<In<Patch>>(context, screen, Some(&reply), outcome)
}

fn patches(bytes: Vec<u8>, path: Option<&PathBuf>, checkout: &Checkout) -> Result<Vec<PatchText>, Failure> {
    let path = path.map(|path| paths::inside(checkout, path.as_os_str()).map(ByteText::new)).transpose()?;
    let (values, rest) = json_in(&bytes);
    if values.is_empty() {
        if let Some(error) = broken_json(&bytes) {
            return Err(Failure::new(Kind::Usage, "the patch is in JSON that cannot be read")
                .because(error.to_string())
                .hint("nothing was written; line ends within a string are written `\\n`"));
        }
        return Ok(vec![PatchText { text: ByteText::new(bytes), path }]);
    }
    if postil_core::patch::Patch::read(&rest).is_ok() {
        return Err(Failure::new(Kind::Usage, "the text has a patch beside its JSON")
            .hint("nothing was written; apply one after the other"));
    }
    let lists = values.into_iter().map(|value| match value {
        Value::Array(list) if list.iter().all(Value::is_object) => list,
        other => vec![other],
    });
    lists.flatten().map(|one| from_json(&one, path.as_ref())).collect()
}

/// The JSON that a text is, or that stands in its code fences from the first one on, and the rest of the text.
///
/// One value may follow another.
fn json_in(bytes: &[u8]) -> (Vec<Value>, Vec<u8>) {
    let values = |text: &[u8]| -> Option<Vec<Value>> {
        let is_begun = matches!(text.trim_ascii_start().first(), Some(b'{' | b'['));
        let values = serde_json::Deserializer::from_slice(text).into_iter::<Value>();
        is_begun.then(|| values.collect::<Result<_, _>>().ok()).flatten()
    };
    if let Some(all) = values(bytes) {
        return (all, Vec::new());
    }
    let is_fence = |line: &[u8]| line.trim_ascii_start().starts_with(b"```");
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let (mut found, mut rest) = (Vec::new(), Vec::new());
    // Every second part stands in a fence.
    for (at, part) in lines.split(|line| is_fence(line)).enumerate() {
        let text = part.concat();
        // Behind the first one, JSON may be an example.
        let is_meant = |all: &Vec<Value>| at == 1 || (at % 2 == 1 && all.iter().all(is_patch));
        match values(&text).filter(is_meant) {
            Some(all) => found.extend(all),
            // Without JSON in the first fence, the text is a patch of another form.
            None if at == 1 => return (Vec::new(), bytes.to_vec()),
            None => rest.extend_from_slice(&text),
        }
    }
    (found, rest)
}

/// Why a text that is JSON with a patch in it, by its looks, cannot be read; its lines are no lines of a patch.
fn broken_json(bytes: &[u8]) -> Option<serde_json::Error> {
    let text = bytes.trim_ascii_start();
    let fence = text.windows(3).position(|mark| mark == b"```").and_then(|at| {
        let end = text[at..].iter().position(|byte| *byte == b'\n')?;
        Some(text[at + end..].trim_ascii_start())
    });
    let is_begun = |text: &&[u8]| {
        let key = b"\"patch";
        matches!(text.first(), Some(b'{' | b'[')) && text.windows(key.len()).any(|word| word == key)
    };
    let text = [Some(text), fence].into_iter().flatten().find(is_begun)?;
    serde_json::Deserializer::from_slice(text).into_iter::<Value>().find_map(Result::err)
}

fn is_patch(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().all(is_patch),
        other => ["patch_lines", "patch"].iter().any(|key| other.get(key).is_some()),
    }
}

/// An object with `path` and `patch_lines`, or with all of them in `patch`.
fn from_json(value: &Value, fallback: Option<&ByteText>) -> Result<PatchText, Failure> {
    let wrong = |what: &str| {
        Failure::new(Kind::Usage, what)
            .hint("give an object with `path` and `patch_lines`, a list of strings, or `patch`, a string")
    };
    let text = match (&value["patch_lines"], &value["patch"]) {
        (Value::Array(lines), _) | (Value::Null, Value::Array(lines)) => {
            let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
            flatten(lines.ok_or_else(|| wrong("a line of the patch is no text"))?)
        }
        (Value::String(text), _) | (Value::Null, Value::String(text)) => text.clone(),
        _ => return Err(wrong("there is no patch in the JSON")),
    };
    let path = match &value["path"] {
        Value::String(path) => Some(ByteText::from(path.strip_prefix("./").unwrap_or(path))),
        Value::Null => fallback.cloned(),
        _ => return Err(wrong("the path is no text")),
    };
    Ok(PatchText { text: ByteText::new(text), path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_is_found_in_a_code_fence_too() {
        let object = r#"{"path": "a"}"#;
        for text in
            [object.to_owned(), format!("Sure:\n```json\n{object}\n```\nbye\n"), format!("\n [{object}]")]
        {
            assert_eq!(json_in(text.as_bytes()).0.len(), 1, "{text}");
        }
        for text in ["", "{ no json", "```diff\n-1\n+2\n```\n", "```\n1\n```\n", "[1] see below\n"] {
            assert_eq!(json_in(text.as_bytes()).0, [Value::Null; 0], "{text}");
        }
    }

    #[test]
    fn json_that_is_broken_is_no_patch_of_another_form() {
        let object = "{\"path\": \"b\", \"patch\": \"@@ -1 +1 @@\n-a\n+b\"}\n";
        for text in
            [object.to_owned(), object[..20].to_owned() + "\"patch", format!("Sure:\n```json\n{object}```\n")]
        {
            assert!(
                json_in(text.as_bytes()).0.is_empty() && broken_json(text.as_bytes()).is_some(),
                "{text}"
            );
        }
        for text in ["@@ -1 +1 @@\n-{\"patch\"\n+b\n", "{ no json", "```diff\n-{\"patch\n```\n"] {
            assert!(broken_json(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn all_json_of_a_text_counts() {
        let object = r#"{"path": "a", "patch": "x"}"#;
        let fence = format!("```json\n{object}\n```\n");
        assert_eq!(json_in(format!("{fence}as in\n```json\n{{}}\n```\n").as_bytes()).0.len(), 1);
        for text in [format!("{object}\n{object}\n"), format!("First:\n{fence}and then:\n{fence}bye\n")] {
            assert_eq!(json_in(text.as_bytes()).0.len(), 2, "{text}");
        }
        let (values, rest) = json_in(format!("{fence}```diff\n@@ -1 +1 @@\n-a\n+b\n```\n").as_bytes());
        assert_eq!((values.len(), rest.as_slice()), (1, &b"@@ -1 +1 @@\n-a\n+b\n"[..]));
    }

    #[test]
    fn lines_in_json_become_one_patch() {
        let check = |value: Value, text: &str, path: Option<&str>| {
            let read = from_json(&value, None).unwrap();
            assert_eq!((read.text, read.path), (text.into(), path.map(ByteText::from)));
        };
        check(
            json!({ "path": "./a", "patch_lines": ["@@ -1 +1 @@\n-a", "+b\n"] }),
            "@@ -1 +1 @@\n-a\n+b\n",
            Some("a"),
        );
        check(json!({ "patch": "x" }), "x", None);
        for bad in [json!({ "path": "a" }), json!({ "patch_lines": [1] }), json!({ "path": 1, "patch": "x" })]
        {
            assert!(from_json(&bad, None).is_err(), "{bad}");
        }
    }
}
