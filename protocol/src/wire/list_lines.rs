//! Reads a list and passes on its lines one by one.
//!
//! So ten thousand lines need only the memory of their text.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::methods::reply::ListReply;
use crate::views::thread::ThreadLine;

impl ListReply {
    /// Reads the answer to a list, and passes on its lines; returns the rest.
    ///
    /// If the text turns out to be damaged, the lines before that were already passed on.
    pub fn line_by_line(each: impl FnMut(ThreadLine)) -> impl for<'de> DeserializeSeed<'de, Value = Self> {
        WholeList(each)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "kebab-case")]
enum Field {
    Threads,
    Lines,
    Total,
    Next,
    Resolving,
    Head,
    Notes,
    Elsewhere,
    Incomplete,
    Mark,
    Warnings,
    Advice,
    #[serde(other)]
    Unknown,
}

struct WholeList<F>(F);

impl<'de, F: FnMut(ThreadLine)> DeserializeSeed<'de> for WholeList<F> {
    type Value = ListReply;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ListReply, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: FnMut(ThreadLine)> Visitor<'de> for WholeList<F> {
    type Value = ListReply;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the answer to a list")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<ListReply, A::Error> {
        let mut reply = ListReply::default();
        while let Some(field) = map.next_key::<Field>()? {
            match field {
                Field::Threads => reply.threads = map.next_value()?,
                Field::Lines => map.next_value_seed(ListLines(&mut self.0))?,
                Field::Total => reply.total = map.next_value()?,
                Field::Next => reply.next = map.next_value()?,
                Field::Resolving => reply.resolving = map.next_value()?,
                Field::Head => reply.head = map.next_value()?,
                Field::Notes => reply.notes = map.next_value()?,
                Field::Elsewhere => reply.elsewhere = map.next_value()?,
                Field::Incomplete => reply.incomplete = map.next_value()?,
                Field::Mark => reply.mark = map.next_value()?,
                Field::Warnings => reply.warnings = map.next_value()?,
                Field::Advice => reply.advice = map.next_value()?,
                Field::Unknown => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(reply)
    }
}

struct ListLines<'a, F>(&'a mut F);

impl<'de, F: FnMut(ThreadLine)> DeserializeSeed<'de> for ListLines<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(ThreadLine)> Visitor<'de> for ListLines<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("lines")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut lines: A) -> Result<(), A::Error> {
        while let Some(line) = lines.next_element()? {
            (self.0)(line);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_lines(json: &str, each: impl FnMut(ThreadLine)) -> Result<ListReply, serde_json::Error> {
        let mut text = serde_json::Deserializer::from_str(json);
        let reply = ListReply::line_by_line(each).deserialize(&mut text)?;
        text.end()?;
        Ok(reply)
    }

    #[test]
    fn reading_line_by_line_gives_what_reading_at_once_gives() {
        let line =
            |short: &str| ThreadLine { short: short.into(), text: "why?\n".into(), ..ThreadLine::default() };
        let whole = ListReply {
            lines: vec![line("a1"), line("b2")],
            total: 7,
            next: Some("2.61.1.0.0.00".into()),
            resolving: true,
            elsewhere: 3,
            incomplete: true,
            mark: "m".into(),
            ..ListReply::default()
        };
        let json = serde_json::to_string(&whole).unwrap();
        let mut lines = Vec::new();
        let rest = read_lines(&json, |line| lines.push(line)).unwrap();
        assert_eq!(rest.lines, []);
        assert_eq!(ListReply { lines, ..rest }, whole);
        let more = json.replacen('{', r#"{"more":[{}],"#, 1);
        assert_eq!(read_lines(&more, drop).unwrap().total, 7);
        for bad in ["{", "[]", r#"{"lines":[{}]}"#, r#"{"total":-1}"#, "{} {}"] {
            assert!(read_lines(bad, drop).is_err(), "{bad}");
        }
    }
}
