//! Results for programs: the answer of the service, with the version of the form.

use postil_core::protocol::{Event, Method};

use super::screen::Screen;
use crate::failure::{Failure, Kind};

/// The version of what `--json` writes; raised when a program could misunderstand it. New fields do not raise it.
const SCHEMA_VERSION: u32 = 1;

impl Screen {
    /// Writes an event as one line of JSON, as it came.
    pub fn event(&mut self, event: &Event) -> Result<(), Failure> {
        let text = serde_json::to_string(event)
            .map_err(|error| Failure::new(Kind::Unavailable, "the event cannot be written").because(error))?;
        self.line(text)?;
        self.flush()
    }

    /// Writes the answer of a method as one line of JSON, with `version` before its fields.
    pub fn json<M: Method>(&mut self, answer: &M::Answer) -> Result<(), Failure> {
        let text = serde_json::to_string(answer).map_err(|error| {
            Failure::new(Kind::Unavailable, "the answer cannot be written").because(error)
        })?;
        let fields = text.strip_prefix('{').expect("every answer is an object with fields");
        self.line(format_args!("{{\"version\":{SCHEMA_VERSION},{fields}"))
    }

    /// Writes why a command failed as one line of JSON: `error`, before the fields of the answer where there is one.
    pub fn json_failed<M: Method>(
        &mut self,
        answer: Option<&M::Answer>,
        failure: &Failure,
    ) -> Result<(), Failure> {
        let answer = answer.map(serde_json::to_string).transpose().map_err(|error| {
            Failure::new(Kind::Unavailable, "the answer cannot be written").because(error)
        })?;
        let fields = answer.as_deref().and_then(|text| text.strip_prefix('{'));
        let rest = fields.map_or_else(|| "}".to_owned(), |fields| format!(",{fields}"));
        let error = serde_json::json!({
            "code": failure.code(),
            "message": failure.what(),
            "causes": failure.causes(),
            "hint": failure.next(),
        });
        self.line(format_args!("{{\"version\":{SCHEMA_VERSION},\"error\":{error}{rest}"))
    }
}
