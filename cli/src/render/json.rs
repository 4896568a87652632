//! Results for programs: the answer of the service, with the version of the form.
//!
//! `docs/schema/v1.json` has the form of each; all JSON output goes through here.

use postil_protocol::{Event, FailureView, JSON_VERSION, Method};

use super::screen::Screen;
use crate::failure::{Failure, FailureKind};
use crate::sanitize;

impl Screen {
    /// Writes an event as one line of JSON, and shows it at once.
    pub fn event(&mut self, event: &Event) -> Result<(), Failure> {
        self.line(versioned(event)?)?;
        self.flush()
    }

    /// Writes the answer of a method as one line of JSON.
    pub fn json<M: Method>(&mut self, answer: &M::Answer) -> Result<(), Failure> {
        self.line(versioned(answer)?)
    }

    /// Writes what a command did itself as one line of JSON.
    pub fn json_done<T: serde::Serialize>(&mut self, done: &T) -> Result<(), Failure> {
        self.line(versioned(done)?)
    }

    /// Writes a result as one line of JSON, with `error` before its fields: why the command fails after all.
    pub fn json_failed<M: Method>(&mut self, answer: &M::Answer, failure: &Failure) -> Result<(), Failure> {
        let answer = serde_json::to_string(answer).map_err(|error| {
            Failure::new(FailureKind::Unavailable, "could not write the result as JSON").because(error)
        })?;
        let fields = answer.strip_prefix('{').expect("an answer is an object with fields");
        self.line(sanitize::json(format!("{},{fields}", begun(failure))))
    }
}

/// Why a command failed, as one line of JSON.
pub fn refused(failure: &Failure) -> String {
    sanitize::json(format!("{}}}", begun(failure)))
}

/// The start of the JSON object for a failure.
fn begun(failure: &Failure) -> String {
    let error = FailureView {
        code: failure.code().to_owned(),
        message: failure.what().to_owned(),
        causes: failure.causes(),
        hint: failure.next().map(str::to_owned),
        advice: failure.advice().cloned(),
    };
    let error = serde_json::to_string(&error).expect("words can be written as JSON");
    format!("{{\"version\":{JSON_VERSION},\"error\":{error}")
}

/// One line of JSON, with `version` before the fields.
pub fn versioned<T: serde::Serialize>(answer: &T) -> Result<String, Failure> {
    let mut text = format!("{{\"version\":{JSON_VERSION}").into_bytes();
    let head = text.len();
    serde_json::to_writer(&mut text, answer).map_err(|error| {
        Failure::new(FailureKind::Unavailable, "could not write the result as JSON").because(error)
    })?;
    debug_assert!(text[head] == b'{' && text[head + 1] == b'"', "only objects with fields have a version");
    // The object's own brace becomes the comma after the version.
    text[head] = b',';
    Ok(sanitize::json(String::from_utf8(text).expect("JSON is text")))
}
