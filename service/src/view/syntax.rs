//! The syntax of the lines of a file, as clients see it.

use std::ops::RangeInclusive;

use postil_core::git::RepoPath;
use postil_protocol::{SyntaxView, SyntaxWord};
use postil_syntax::{Language, Lexer, SyntaxClass, SyntaxSpan};

/// A larger file is shown plain: all of it is read for the state that a line begins in.
const MAX_COLOURED_BYTES: usize = 8 << 20;

/// The syntax of these lines of a file, counted from one; nothing if the language is not known.
pub(crate) fn syntax(path: &RepoPath, content: &[u8], lines: RangeInclusive<u32>) -> Vec<Vec<SyntaxView>> {
    let language =
        Language::of_file(path.as_bytes(), content).filter(|_| content.len() <= MAX_COLOURED_BYTES);
    let Some(language) = language else { return Vec::new() };
    let mut lexer = Lexer::new(language, content);
    let mut spans = Vec::new();
    let mut found = Vec::new();
    for number in 1..=*lines.end() {
        if lexer.line(&mut spans).is_none() {
            break;
        }
        if lines.contains(&number) {
            found.push(spans.iter().map(view).collect());
        }
    }
    found
}

/// The syntax of lines of a file, asked for one after the other; nothing if the language is not known.
pub(crate) struct SyntaxOfFile<'a> {
    lexer: Option<Lexer<'a>>,
    /// The line that is read next, counted from zero.
    next: u32,
    spans: Vec<SyntaxSpan>,
}

impl<'a> SyntaxOfFile<'a> {
    /// Of a file with this content.
    pub fn new(path: &RepoPath, content: &'a [u8]) -> Self {
        let language =
            Language::of_file(path.as_bytes(), content).filter(|_| content.len() <= MAX_COLOURED_BYTES);
        Self { lexer: language.map(|language| Lexer::new(language, content)), next: 0, spans: Vec::new() }
    }

    /// The syntax of a line, counted from zero; one that comes before the last has none any more.
    pub fn line(&mut self, line: u32) -> Vec<SyntaxView> {
        let Some(lexer) = &mut self.lexer else { return Vec::new() };
        while self.next <= line {
            if lexer.line(&mut self.spans).is_none() {
                self.lexer = None;
                return Vec::new();
            }
            self.next += 1;
        }
        if self.next == line + 1 { self.spans.iter().map(view).collect() } else { Vec::new() }
    }
}

fn view(span: &SyntaxSpan) -> SyntaxView {
    SyntaxView { start: span.start, end: span.end, class: word(span.class) }
}

fn word(class: SyntaxClass) -> SyntaxWord {
    match class {
        SyntaxClass::Comment => SyntaxWord::Comment,
        SyntaxClass::String => SyntaxWord::String,
        SyntaxClass::Number => SyntaxWord::Number,
        SyntaxClass::Keyword => SyntaxWord::Keyword,
        SyntaxClass::Call => SyntaxWord::Call,
        SyntaxClass::Type => SyntaxWord::Type,
        SyntaxClass::Added => SyntaxWord::Added,
        SyntaxClass::Deleted => SyntaxWord::Deleted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_not_asked_for_leave_their_state() {
        let path = RepoPath::new("a.rs").unwrap();
        let mut file = SyntaxOfFile::new(&path, b"/* one\ntwo\n*/ fn\n");
        assert_eq!(file.line(1), [SyntaxView { start: 0, end: 3, class: SyntaxWord::Comment }]);
        assert_eq!(file.line(2).len(), 2);
        assert!(file.line(9).is_empty() && file.line(2).is_empty());
    }

    #[test]
    fn the_words_of_both_crates_are_the_same() {
        for class in SyntaxClass::ALL {
            let json = serde_json::to_value(word(class)).unwrap();
            assert_eq!(json, class.word());
        }
    }

    #[test]
    fn a_line_begins_in_the_state_that_the_lines_before_it_left() {
        let path = RepoPath::new("a.rs").unwrap();
        let found = syntax(&path, b"/* one\ntwo\n*/ fn\n", 2..=9);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], [SyntaxView { start: 0, end: 3, class: SyntaxWord::Comment }]);
        assert_eq!(found[1].len(), 2);
        assert!(syntax(&RepoPath::new("a.unknown").unwrap(), b"fn\n", 1..=1).is_empty());
    }
}
