//! A line for each thread in a form that the person gives, with named fields as `git for-each-ref` has them.

use std::fmt::Write as _;

use postil_protocol::{PlaceState, ThreadStatus, ThreadView};

use crate::failure::{Failure, FailureKind};
use crate::render::screen::Screen;
use crate::render::site::ShownSite;
use crate::render::{person, when};
use crate::sanitize;

macro_rules! fields {
    ($($name:ident $word:literal $meaning:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum FormatField {
            $($name,)*
        }

        impl FormatField {
            fn named(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$name),)*
                    _ => None,
                }
            }
        }

        /// The fields and what they are, for the help.
        const FIELDS: &[(&str, &str)] = &[$(($word, $meaning)),*];
    };
}

fields! {
    Id "id" "the id of the thread";
    Short "short" "its short id";
    Path "path" "its current file, or its last one";
    Commit "commit" "the commit whose message it is on";
    Line "line" "the first of its lines there";
    Lines "lines" "its lines, such as 12 or 12-20";
    State "state" "anchored, shifted, outdated or orphaned";
    Status "status" "open, resolved or withdrawn";
    Severity "severity" "its severity";
    Tags "tags" "its tags, separated by commas";
    Author "author" "the name of the person who started it";
    Email "email" "their email";
    Date "date" "when it was started";
    Updated "updated" "when something last happened in it";
    Age "age" "how long ago that was, such as 3d";
    Replies "replies" "the number of replies";
    Review "review" "the id of its review";
    Draft "draft" "`draft` if it is not published";
    Suggestion "suggestion" "the state of its suggestion";
    Subject "subject" "the first line of its first comment";
    Text "text" "the whole first comment";
}

/// What `--format` takes.
pub fn format_help() -> String {
    let fields = FIELDS.iter().map(|(word, meaning)| format!("  {:<13}  {meaning}\n", format!("%({word})")));
    let fields: String = fields.collect();
    format!(
        "Print each thread in this format\n\nFields, as in `git for-each-ref`:\n{fields}\n\
         `%%` is a percent sign, and `%` with two hexadecimal digits a byte: `%09` is a tab"
    )
}

/// A form that was understood.
#[derive(Clone, Debug)]
pub struct ThreadFormat(Vec<FormatPart>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum FormatPart {
    Text(String),
    Field(FormatField),
}

impl ThreadFormat {
    /// Reads a form: `%(field)`, `%%` for a percent sign, `%xx` for a byte below 0x80 in hexadecimal, as git has it.
    pub fn parse(form: &str) -> Result<Self, Failure> {
        let (mut parts, mut text, mut rest) = (Vec::new(), String::new(), form);
        while let Some((before, behind)) = rest.split_once('%') {
            text.push_str(before);
            if let Some(behind) = behind.strip_prefix('%') {
                text.push('%');
                rest = behind;
            } else if let Some(named) = behind.strip_prefix('(') {
                let (name, behind) = named.split_once(')').ok_or_else(|| {
                    Failure::new(FailureKind::Usage, format!("missing `)` in the format: {form:?}"))
                })?;
                let field = FormatField::named(name).ok_or_else(|| unknown(name))?;
                parts.push(FormatPart::Text(std::mem::take(&mut text)));
                parts.push(FormatPart::Field(field));
                rest = behind;
            } else {
                let byte = behind.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
                let Some(byte) = byte.filter(u8::is_ascii) else {
                    let what = format!("invalid `%` in the format: {form:?}");
                    let hint =
                        "use `%(FIELD)`, `%%` for a percent sign, or two hexadecimal digits: `%09` is a tab";
                    return Err(Failure::new(FailureKind::Usage, what).hint(hint));
                };
                text.push(char::from(byte));
                rest = &behind[2..];
            }
        }
        text.push_str(rest);
        parts.push(FormatPart::Text(text));
        parts.retain(|part| !matches!(part, FormatPart::Text(text) if text.is_empty()));
        Ok(Self(parts))
    }
}

impl Screen {
    /// One thread in a form.
    pub fn formatted(&mut self, format: &ThreadFormat, thread: &ThreadView, now: u64) -> Result<(), Failure> {
        let mut line = String::new();
        for part in &format.0 {
            match part {
                FormatPart::Text(text) => line.push_str(text),
                FormatPart::Field(field) => self.push_field(&mut line, *field, thread, now),
            }
        }
        self.line(line)
    }

    fn push_field(&self, line: &mut String, field: FormatField, thread: &ThreadView, now: u64) {
        let root = thread.comments.first();
        let position = thread.position.as_ref();
        let now_at = position.and_then(ShownSite::now);
        let site = now_at.or_else(|| thread.anchor.as_ref().map(ShownSite::then));
        let range = match &thread.message {
            Some(on) => {
                position.filter(|position| position.message.is_some()).map_or(on.range, |now| now.range)
            }
            None => site.and_then(|site| site.range),
        };
        let mut push = |text: &str| sanitize::push_line(line, text.as_bytes());
        match field {
            FormatField::Id => push(thread.id.as_str()),
            FormatField::Short => push(&thread.short),
            FormatField::Path => push(&site.map(|site| self.naming.path(site.path)).unwrap_or_default()),
            FormatField::Commit => {
                let now = position.and_then(|position| position.message.as_ref()).map(|site| &site.commit);
                let commit = now.or(thread.message.as_ref().map(|on| &on.commit));
                push(commit.map_or("", |commit| commit.as_str()));
            }
            FormatField::Line => {
                push(&range.map(|range| range.start.line.to_string()).unwrap_or_default());
            }
            FormatField::Lines => {
                push(&range.map(|range| range.to_string()).unwrap_or_default());
            }
            FormatField::State => push(position.map_or("", |position| match position.state {
                PlaceState::Anchored => "anchored",
                PlaceState::Shifted => "shifted",
                PlaceState::Outdated => "outdated",
                PlaceState::Orphaned => "orphaned",
            })),
            FormatField::Status => push(match thread.status {
                ThreadStatus::Open => "open",
                ThreadStatus::Resolved => "resolved",
                ThreadStatus::Withdrawn => "withdrawn",
            }),
            FormatField::Severity => push(thread.severity.as_ref().map_or("", |severity| severity.word())),
            FormatField::Tags => push(&thread.tags.join(",")),
            FormatField::Author => push(&root.map(|root| person::name(&root.author)).unwrap_or_default()),
            FormatField::Email => push(root.map_or("", |root| root.author.email.as_str())),
            FormatField::Date => push(&root.map(|root| when::date_time(root.at)).unwrap_or_default()),
            FormatField::Updated => push(&when::date_time(thread.updated)),
            FormatField::Age => push(&when::age(thread.updated, now)),
            FormatField::Replies => _ = write!(line, "{}", thread.replies),
            FormatField::Review => push(thread.review.as_ref().map_or("", |review| review.as_str())),
            FormatField::Draft => push(if thread.draft { "draft" } else { "" }),
            FormatField::Suggestion => {
                push(thread.suggestion.map(crate::render::change::fate).map_or("", |(_, fate)| fate));
            }
            FormatField::Subject => push(root.and_then(|root| root.text.lines().next()).unwrap_or_default()),
            FormatField::Text => {
                let text = root.map_or("", |root| root.text.as_str());
                let lines: Vec<String> = sanitize::paragraph(text).collect();
                line.push_str(&lines.join("\n"));
            }
        }
    }
}

fn unknown(name: &str) -> Failure {
    let words: Vec<&str> = FIELDS.iter().map(|(word, _)| *word).collect();
    Failure::new(FailureKind::Usage, format!("no such field: {name:?}"))
        .hint(format!("fields: {}", words.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_has_fields_and_text_and_bytes() {
        let text = |text: &str| FormatPart::Text(text.to_owned());
        let parts = ThreadFormat::parse("%(short)%09100%% of %(path):%(line)").unwrap().0;
        let expected = [
            FormatPart::Field(FormatField::Short),
            text("\t100% of "),
            FormatPart::Field(FormatField::Path),
            text(":"),
            FormatPart::Field(FormatField::Line),
        ];
        assert_eq!(parts, expected);
        assert_eq!(ThreadFormat::parse("").unwrap().0, []);
        for bad in ["%", "%(id", "%(nonsense)", "%zz", "%ff", "%é"] {
            assert!(ThreadFormat::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_field_is_in_the_help() {
        let help = format_help();
        for (word, _) in FIELDS {
            assert!(FormatField::named(word).is_some() && help.contains(&format!("%({word})")), "{word}");
        }
    }
}
