//! Answers cases that need nothing but themselves: one line in, one line out.

use std::io::{BufRead, Write};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::stored::LabError;

/// Answers each case on standard input with an object, to which its id is added.
pub fn answer<C: DeserializeOwned>(answer: impl Fn(C) -> Result<Value, LabError>) -> Result<(), LabError> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if !line.trim().is_empty() {
            writeln!(out, "{}", answer_line(&line, &answer))?;
        }
    }
    Ok(out.flush()?)
}

fn answer_line<C: DeserializeOwned>(line: &str, answer: impl Fn(C) -> Result<Value, LabError>) -> Value {
    let case = serde_json::from_str::<Value>(line);
    let id = case.as_ref().ok().and_then(|case| case.get("id").cloned()).unwrap_or(Value::Null);
    let answered = case.and_then(serde_json::from_value).map_err(LabError::from).and_then(answer);
    let mut answered = answered.unwrap_or_else(|error| json!({ "error": error.to_string() }));
    answered["id"] = id;
    answered
}
