//! Answers in pages: clients cut what is too long, and a model that reads all of it pays for all of it.

use postil_compact::{DATA_NOTE, PAGE_BYTES};

use super::arguments::{Refused, ToolArguments};
use crate::wire::toolbox::ToolAnswer;

/// A page of an answer that is computed as a whole each time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AnswerPage {
    /// Its first line.
    from: usize,
}

impl AnswerPage {
    /// The page that the cursor of a call names; without one, the first.
    pub fn asked(arguments: ToolArguments<'_>) -> Result<Self, Refused> {
        let from = match arguments.word("cursor")? {
            None => 0,
            Some(cursor) => cursor.parse().map_err(|_| {
                ToolAnswer::error("no such `cursor`; give the one that ended the last page, or none")
            })?,
        };
        Ok(Self { from })
    }

    /// As many lines as fit, and the cursor of the next page.
    pub fn of(self, text: &str) -> ToolAnswer {
        let lines: Vec<&str> = text.lines().collect();
        if self.from > lines.len() {
            return ToolAnswer::error("no such `cursor`: the answer is shorter by now; call without one");
        }
        let (mut left, mut until) = (PAGE_BYTES, self.from);
        for line in &lines[self.from..] {
            // One line always fits, so that every page leads on: each is bounded where it is made harmless.
            if line.len() >= left && until > self.from {
                break;
            }
            left = left.saturating_sub(line.len() + 1);
            until += 1;
        }
        let note = (self.from > 0).then_some(DATA_NOTE);
        let next = (until < lines.len()).then(|| format!("next {until}"));
        let told = note.into_iter().chain(lines[self.from..until].iter().copied()).chain(next.as_deref());
        ToolAnswer::ok(told.collect::<Vec<_>>().join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_lead_through_all_lines_and_each_says_what_they_are() {
        let text: String = (0..3_000).map(|n| format!("| line {n} of a long text\n")).collect();
        let (mut from, mut seen) = (0, Vec::new());
        loop {
            let page = AnswerPage { from }.of(&text).text;
            assert!(page.len() < PAGE_BYTES + 200, "{}", page.len());
            assert_eq!(from > 0, page.starts_with(DATA_NOTE), "{page}");
            seen.extend(page.lines().filter(|line| line.starts_with("| ")).map(str::to_owned));
            let Some(next) = page.lines().last().and_then(|line| line.strip_prefix("next ")) else { break };
            from = next.parse().unwrap();
        }
        assert_eq!(seen, text.lines().collect::<Vec<_>>());
        assert!(AnswerPage { from: 4_000 }.of(&text).is_error);
        let long = "x".repeat(2 * PAGE_BYTES);
        assert_eq!(AnswerPage::default().of(&format!("{long}\ny")).text, format!("{long}\nnext 1"));
    }
}
