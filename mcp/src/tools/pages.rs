//! Answers in pages: clients cut what is too long, and a model that reads all of it pays for all of it.

use postil_client::Session;
use postil_protocol::ThreadView;

use super::arguments::{Refused, ToolArguments};
use crate::listing::{Shown, ThreadListing};
use crate::wire::toolbox::ToolAnswer;

/// A page has at most so many tokens, as [`tokens`] counts them.
const MAX_PAGE_TOKENS: usize = 8_000;

/// What is said besides the blocks fits into this.
const MARGIN_TOKENS: usize = 400;

/// Lines that belong together: a thread, a comment, the diff of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerBlock(Vec<String>);

impl AnswerBlock {
    /// Of whole lines.
    pub fn of(lines: Vec<String>) -> Self {
        Self(lines)
    }

    /// Its lines.
    pub fn lines(&self) -> &[String] {
        &self.0
    }

    /// About how many tokens it takes.
    fn tokens(&self) -> usize {
        self.0.iter().map(|line| tokens(line) + 1).sum()
    }
}

/// A page of an answer that is computed as a whole each time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AnswerPage {
    /// The first line of the page, counted over all blocks.
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

    /// The answer: what comes first on each page, as many lines of the blocks as fit, and what comes last on the last page.
    pub fn of(self, head: &[String], blocks: &[AnswerBlock], end: &[String]) -> ToolAnswer {
        let lines: Vec<&str> = blocks.iter().flat_map(|block| &block.0).map(String::as_str).collect();
        if self.from > lines.len() {
            return ToolAnswer::error("no such `cursor`: the answer is shorter by now; call without one");
        }
        let around: usize = head.iter().chain(end).map(|line| tokens(line) + 1).sum();
        let room = MAX_PAGE_TOKENS.saturating_sub(around + MARGIN_TOKENS);
        let (mut left, mut until) = (room, self.from);
        for line in &lines[self.from..] {
            let cost = tokens(line) + 1;
            // One line always fits, so that every page leads on: each line is bounded where it is made harmless.
            if cost > left && until > self.from {
                break;
            }
            left = left.saturating_sub(cost);
            until += 1;
        }
        let mut told: Vec<&str> = head.iter().map(String::as_str).collect();
        told.extend(&lines[self.from..until]);
        let more = format!("more: call again with cursor {until}");
        if until < lines.len() {
            told.push(&more);
        } else {
            told.extend(end.iter().map(String::as_str));
        }
        ToolAnswer::ok(told.join("\n"))
    }
}

/// A block for each thread.
pub(super) fn blocks(session: &Session, threads: &[ThreadView], shown: Shown) -> Vec<AnswerBlock> {
    let mut listing = ThreadListing::new(session.checkout(), shown);
    threads.iter().map(|thread| AnswerBlock(listing.thread(thread))).collect()
}

/// How many of these blocks are on a page of whole blocks; at least one, if there is any.
pub(super) fn fitting(blocks: &[AnswerBlock]) -> usize {
    let mut left = MAX_PAGE_TOKENS - MARGIN_TOKENS;
    let fits = blocks.iter().take_while(|block| {
        let cost = block.tokens();
        let fits = cost <= left;
        left = left.saturating_sub(cost);
        fits
    });
    fits.count().max(1).min(blocks.len())
}

/// About how many tokens a text takes, rather too many than too few: no tokenizer is part of the program.
fn tokens(text: &str) -> usize {
    let tenths: usize = text
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' => 3,
            b' ' => 2,
            // Three digits are a token; signs, and bytes of what is not ASCII, are often one each.
            b'A'..=b'Z' | b'0'..=b'9' => 5,
            _ => 9,
        })
        .sum();
    tenths.div_ceil(10)
}
