//! Threads above and behind their lines, for who wants to see them there: lenses and hints.

use std::ops::RangeInclusive;

use gen_lsp_types::Diagnostic;
use serde_json::{Value, json};

use crate::capabilities::EditorAbilities;
use crate::documents::document::OpenDocument;
use crate::shown::diagnostics::of_text;

/// A lens above each line that has threads, with their number; it goes to the next one.
pub(crate) fn above_lines(document: &OpenDocument, editor: &EditorAbilities) -> Vec<Value> {
    let lens = |shown: Diagnostic| {
        let count =
            shown.data.as_ref().and_then(|data| data["threads"].as_array().map(Vec::len)).unwrap_or(1);
        let title = if count == 1 { "1 thread".to_owned() } else { format!("{count} threads") };
        let thread = shown.data.as_ref().map(|data| data["threads"][0].clone());
        let command =
            json!({ "title": title, "command": "postil.reply", "arguments": [{ "thread": thread }] });
        json!({ "range": shown.range, "command": command })
    };
    of_text(&document.path, &document.live, editor).into_iter().map(lens).collect()
}

/// A hint behind each of some lines that has threads, with the first words.
pub(crate) fn behind_lines(
    document: &OpenDocument,
    lines: &RangeInclusive<u32>,
    editor: &EditorAbilities,
) -> Vec<Value> {
    let there = of_text(&document.path, &document.live, editor)
        .into_iter()
        .filter(|shown| lines.contains(&shown.range.start.line));
    let hint = |shown: Diagnostic| {
        let message = match &shown.message {
            gen_lsp_types::Message::String(message) => message.clone(),
            gen_lsp_types::Message::MarkupContent(markup) => markup.value.clone(),
        };
        let label = message.lines().next().unwrap_or_default().to_owned();
        json!({ "position": shown.range.end, "label": label, "paddingLeft": true })
    };
    there.map(hint).collect()
}
