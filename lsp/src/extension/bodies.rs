//! Comments in what an extension is sent get a `markdown`: their text, made harmless, ready to be rendered.

use serde_json::{Map, Value};

use crate::shown::hover::harmless;

/// Adds the rendered text to every comment in an answer.
pub(crate) fn with_bodies(mut answer: Value) -> Value {
    add(&mut answer);
    answer
}

fn add(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(add),
        Value::Object(fields) => {
            if let Some(text) = comment_text(fields) {
                let markdown = harmless(text);
                fields.insert("markdown".to_owned(), markdown.into());
            }
            fields.values_mut().for_each(add);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The text of a comment; `None` for any other object. Only comments say whether they suggest something.
fn comment_text(fields: &Map<String, Value>) -> Option<&str> {
    fields.get("suggests")?;
    fields.get("text")?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_are_found_wherever_they_are_and_nothing_else_is_changed() {
        let comment = json!({ "suggests": false, "text": "![x](http://a/x.png)" });
        let answer =
            with_bodies(json!({ "files": [{ "threads": [{ "comments": [comment] }] }], "text": "![x]" }));
        assert_eq!(
            answer["files"][0]["threads"][0]["comments"][0]["markdown"],
            json!("!\\[x](http://a/x.png)\n")
        );
        assert_eq!(answer["markdown"], Value::Null);
    }
}
