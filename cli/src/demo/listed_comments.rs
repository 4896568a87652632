//! Where comments are, read from `postil list --json`.

use serde_json::Value;

/// A comment, and where it is now.
pub struct DemoComment {
    /// What was said.
    pub text: String,
    /// Who said it.
    pub by: String,
    /// The state and the place, in a few words.
    pub place: String,
}

impl DemoComment {
    /// Reads a list; what is no list is an empty one.
    pub fn all(json: &str) -> Vec<Self> {
        let reply: Value = serde_json::from_str(json).unwrap_or_default();
        let threads = reply["threads"].as_array().cloned().unwrap_or_default();
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let found = |thread: &Value| {
            let (said, position) = (&thread["comments"][0], &thread["position"]);
            Self { text: word(&said["text"]), by: word(&said["author"]["name"]), place: place(position) }
        };
        threads.iter().map(found).collect()
    }
}

fn place(position: &Value) -> String {
    let state = position["state"].as_str().unwrap_or("nowhere");
    let at = position["path"].as_str().map(|path| match (&position["start"], &position["end"]) {
        (Value::Null, _) => format!(" at {path}"),
        (start, end) if start == end => format!(" at {path}:{start}"),
        (start, end) => format!(" at {path}:{start}-{end}"),
    });
    format!("{state}{}", at.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_in_a_few_words() {
        let json = r#"{"threads":[
            {"comments":[{"text":"why?","author":{"name":"Ann"}}],
             "position":{"state":"shifted","path":"a.rs","start":3,"end":4}},
            {"comments":[],"position":{"state":"orphaned","path":null}}]}"#;
        let all = DemoComment::all(json);
        assert_eq!((all[0].by.as_str(), all[0].place.as_str()), ("Ann", "shifted at a.rs:3-4"));
        assert_eq!(all[1].place, "orphaned");
        assert!(DemoComment::all("no JSON").is_empty());
    }
}
