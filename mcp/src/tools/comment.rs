//! `comment`: new threads and replies as one batch, each done or refused by its index.

use std::fmt::Write as _;

use postil_compact::{batch_text, plain_path};
use postil_protocol::{BatchItem, BatchRefused, CommentBatch, CommentBatchReply, MAX_BATCH};
use serde_json::Value;

use super::arguments::{MAX_TEXT_BYTES, ToolArguments};
use super::failing::failed;
use super::review_tools::Asked;
use crate::wire::toolbox::ToolAnswer;

pub(super) fn comment(asked: &mut Asked<'_>, draft: bool) -> ToolAnswer {
    let given =
        ToolArguments::of(&asked.call.arguments, &["items"]).and_then(|given| given.list("items", MAX_BATCH));
    let given = match given {
        Ok(items) => items,
        Err(refused) => return refused,
    };
    let (mut items, mut indices, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for (index, item) in (0_u32..).zip(given) {
        match read(item) {
            Ok(item) => {
                items.push(item);
                indices.push(index);
            }
            Err(reason) => refused.push(BatchRefused { index, code: "usage".into(), reason, nearest: None }),
        }
    }
    let mut reply = CommentBatchReply::default();
    if !items.is_empty() {
        match asked.session.write(CommentBatch { items, draft }) {
            Ok(written) => reply = written,
            Err(error) => return failed(&error),
        }
    }
    let of_call = |index: u32| indices.get(index as usize).copied().unwrap_or(index);
    reply.done.iter_mut().for_each(|done| done.index = of_call(done.index));
    reply.refused.iter_mut().for_each(|one| one.index = of_call(one.index));
    reply.refused.append(&mut refused);
    let mut text = batch_text(&reply, &plain_path);
    if reply.done.iter().any(|done| done.draft) {
        text.push_str("a person publishes drafts\n");
    }
    if !reply.mark.is_empty() {
        _ = writeln!(text, "mark {}", reply.mark);
    }
    ToolAnswer { text, is_error: reply.done.is_empty() }
}

/// Reads an item, or says what is wrong with it.
fn read(item: &Value) -> Result<BatchItem, String> {
    // Models often write all that a schema has: what is null is not given.
    let Value::Object(given) = item else { return Err("an item must be an object".to_owned()) };
    let given = given.iter().filter(|(_, value)| !value.is_null());
    let given = Value::Object(given.map(|(key, value)| (key.clone(), value.clone())).collect());
    let item: BatchItem = serde_json::from_value(given).map_err(|error| error.to_string())?;
    let suggestion = item.suggestion.as_ref().map_or(0, |text| text.as_bytes().len());
    let bytes = item.text.len().max(suggestion);
    if bytes > MAX_TEXT_BYTES {
        return Err(format!("a text has {bytes} bytes; {MAX_TEXT_BYTES} are the most"));
    }
    Ok(item)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_item_is_read_as_models_write_it_or_refused_with_what_is_wrong() {
        let item = read(&json!({ "path": "a.txt", "lines": "2-3", "text": "x", "key": null, "code": null }))
            .unwrap();
        assert_eq!((item.key, item.lines.map(|lines| lines.to_string())), (None, Some("2-3".into())));
        let check = |item: Value, says: &str| {
            let told = read(&item).unwrap_err();
            assert!(told.contains(says), "{told}");
        };
        check(json!("x"), "must be an object");
        check(json!({ "text": "x", "resolve": true }), "unknown field `resolve`");
        check(json!({ "text": "x", "lines": "a" }), "invalid `lines`");
        check(json!({ "text": "x".repeat(MAX_TEXT_BYTES + 1) }), "are the most");
        check(json!({ "text": "", "suggestion": "x".repeat(MAX_TEXT_BYTES + 1) }), "are the most");
    }
}
