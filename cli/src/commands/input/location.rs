//! Locations as people type them: `path`, `path:12`, `path:12-20`, `path:12:5-14:9`, each followed by `@REV`
//! or not.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use postil_client::Checkout;
use postil_protocol::{Place, Side, Span};

use super::paths;
use crate::failure::{Failure, FailureKind};

/// What to do where no file is named.
const NAME_ONE: &str = "give a location: `FILE`, `FILE:12` or `FILE:12-20`";

/// What a person points at.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct LocationArgs {
    /// FILE, FILE:LINE, FILE:FROM-TO or FILE:LINE:COLUMN-LINE:COLUMN, and @REV for a commit
    #[arg(value_name = "LOCATION", num_args = 0..=2)]
    location: Vec<OsString>,

    /// Which side of the diff the lines are on
    #[arg(long, value_name = "SIDE", default_value = "new", hide_default_value = true)]
    side: SideArg,

    /// Comment on this text in the file, as it reads when rendered or as it is in the source
    #[arg(long, value_name = "TEXT")]
    quote: Option<String>,

    /// Text just before the quote, if the quote occurs more than once
    #[arg(long, value_name = "TEXT", requires = "quote")]
    prefix: Option<String>,

    /// Text just after the quote, if the quote occurs more than once
    #[arg(long, value_name = "TEXT", requires = "quote")]
    suffix: Option<String>,

    /// Allow a file that git ignores; its lines are shared with the comment
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum SideArg {
    /// Lines of the changed file.
    #[default]
    New,
    /// Lines of the base, such as deleted lines.
    Old,
}

/// A location that was understood, as far as that needs no repository.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Location {
    path: Vec<u8>,
    span: Option<Span>,
    rev: Option<String>,
}

impl LocationArgs {
    /// The place in a repository; `None`: the whole review.
    pub fn place(&self, checkout: &Checkout) -> Result<Option<Place>, Failure> {
        let exists = |bytes: &[u8]| paths::is_file(checkout, OsStr::from_bytes(bytes));
        // A commit has an `@` before it, and so have files that npm calls scoped.
        let (rev, paths): (Vec<&OsString>, Vec<&OsString>) = self
            .location
            .iter()
            .partition(|word| word.as_bytes().starts_with(b"@") && !names_file(word.as_bytes(), exists));
        let (path, rev) = match (paths.as_slice(), rev.as_slice()) {
            ([], []) if self.quote.is_some() => {
                return Err(wrong("--quote needs a file").hint(NAME_ONE));
            }
            ([], []) if self.side == SideArg::Old => {
                return Err(wrong("--side needs a file").hint(NAME_ONE));
            }
            ([], []) => return Ok(None),
            ([path], []) => (path, None),
            ([path], [rev]) => (path, Some(&rev.as_bytes()[1..])),
            ([], _) => return Err(wrong("a commit needs a file").hint(NAME_ONE)),
            _ => {
                return Err(wrong("cannot comment on more than one file at a time")
                    .hint("comment on each separately; commits start with `@`, as in `FILE:12 @HEAD~2`"));
            }
        };
        let mut location = Location::parse(path.as_bytes(), exists)?;
        if let Some(rev) = rev {
            // `@` alone is what git calls HEAD.
            let rev = if rev.is_empty() { b"@".as_slice() } else { rev };
            location.rev = Some(text(rev)?);
        }
        let path = paths::inside(checkout, &OsString::from_vec(location.path))?;
        if path.is_empty() {
            return Err(wrong("cannot comment on a directory").hint(NAME_ONE));
        }
        let side = match self.side {
            SideArg::New => Side::New,
            SideArg::Old => Side::Old,
        };
        Ok(Some(Place {
            span: location.span,
            rev: location.rev,
            side,
            quote: self.quote.clone(),
            prefix: self.prefix.clone(),
            suffix: self.suffix.clone(),
            ignored: self.force,
            ..Place::file(path)
        }))
    }
}

/// The place that one word names; fails for none.
pub fn place_named(checkout: &Checkout, word: &OsStr) -> Result<Place, Failure> {
    let args = LocationArgs { location: vec![word.to_owned()], ..LocationArgs::default() };
    args.place(checkout)?.ok_or_else(|| wrong("no file given").hint(NAME_ONE))
}

impl Location {
    /// Understands a location; a file that has a colon and digits in its name is meant where it exists.
    fn parse(word: &[u8], exists: impl Fn(&[u8]) -> bool + Copy) -> Result<Self, Failure> {
        let whole = |path: &[u8]| Self { path: path.to_vec(), span: None, rev: None };
        if exists(word) {
            return Ok(whole(word));
        }
        let (place, rev) = match word.iter().rposition(|byte| *byte == b'@') {
            // Only after lines or an existing file, because a file name may contain this character.
            Some(at) if !names_file(word, exists) && (ends_in_lines(&word[..at]) || exists(&word[..at])) => {
                (&word[..at], Some(text(&word[at + 1..])?))
            }
            _ => (word, None),
        };
        if rev.is_some() && exists(place) {
            return Ok(Self { rev, ..whole(place) });
        }
        let Some((path, lines)) = split_lines(place, exists) else { return Ok(whole(word)) };
        let span = span(lines).ok_or_else(|| {
            let shown = String::from_utf8_lossy(lines).into_owned();
            wrong(&format!("invalid lines: {shown:?}"))
                .hint("lines start at 1: `FILE:12`, `FILE:12-20` or `FILE:12:5-14:9`")
        })?;
        Ok(Self { path: path.to_vec(), span: Some(span), rev })
    }
}

/// Splits a path from the digits, colons and dashes at its end: at the first colon that is followed by
/// nothing else, or after an existing file whose own name ends like this.
fn split_lines(word: &[u8], exists: impl Fn(&[u8]) -> bool) -> Option<(&[u8], &[u8])> {
    let tail = word.iter().rev().take_while(|byte| byte.is_ascii_digit() || b":-".contains(byte)).count();
    let colons = (word.len() - tail..word.len()).filter(|at| word[*at] == b':');
    let mut splits = colons.map(|at| (&word[..at], &word[at + 1..]));
    let first = splits.next()?;
    let named = if exists(first.0) { None } else { splits.find(|(path, _)| exists(path)) };
    let (path, lines) = named.unwrap_or(first);
    (!path.is_empty() && !lines.is_empty()).then_some((path, lines))
}

/// Whether a word is a file that exists, or lines of one.
fn names_file(word: &[u8], exists: impl Fn(&[u8]) -> bool + Copy) -> bool {
    exists(word) || split_lines(word, exists).is_some_and(|(path, _)| exists(path))
}

fn ends_in_lines(word: &[u8]) -> bool {
    split_lines(word, |_| false).is_some()
}

/// Whether a word ends like lines of a file.
pub fn has_lines(word: &str) -> bool {
    ends_in_lines(word.as_bytes())
}

/// `12`, `12-20`, `12:5`, `12:5-14:9`.
pub fn span(lines: &[u8]) -> Option<Span> {
    let lines = std::str::from_utf8(lines).ok()?;
    let point = |word: &str| -> Option<(u32, Option<u32>)> {
        match word.split_once(':') {
            None => Some((word.parse().ok()?, None)),
            Some((line, column)) => Some((line.parse().ok()?, Some(column.parse().ok()?))),
        }
    };
    let (start, end) = match lines.split_once('-') {
        None => (point(lines)?, point(lines)?),
        Some((start, end)) => (point(start)?, point(end)?),
    };
    let numbers = [Some(start.0), Some(end.0), start.1, end.1];
    // Columns at one end alone would leave the other end open.
    if start.1.is_some() != end.1.is_some() || numbers.contains(&Some(0)) || start > end {
        return None;
    }
    Some(Span { start: start.0, end: end.0, start_column: start.1, end_column: end.1 })
}

fn text(bytes: &[u8]) -> Result<String, Failure> {
    String::from_utf8(bytes.to_vec())
        .map_err(|_| wrong("the commit name is not valid UTF-8").hint("`git log --oneline` lists commits"))
}

fn wrong(what: &str) -> Failure {
    Failure::new(FailureKind::Usage, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(word: &str) -> Option<(String, Option<Span>, Option<String>)> {
        let exists = |path: &[u8]| [&b"odd:12"[..], b"here", b"pk/@types/i.ts", b"a@2x"].contains(&path);
        let location = Location::parse(word.as_bytes(), exists).ok()?;
        Some((String::from_utf8(location.path).unwrap(), location.span, location.rev))
    }

    #[test]
    fn locations_are_read_as_they_are_typed() {
        let check = |word: &str, path: &str, span: Option<Span>, rev: Option<&str>| {
            assert_eq!(parsed(word), Some((path.into(), span, rev.map(str::to_owned))), "{word}");
        };
        let columns = Span { start: 12, end: 14, start_column: Some(5), end_column: Some(9) };
        check("src/a.rs", "src/a.rs", None, None);
        check("src/a.rs:12", "src/a.rs", Some(Span::lines(12, 12)), None);
        check("src/a.rs:12-20", "src/a.rs", Some(Span::lines(12, 20)), None);
        check("src/a.rs:12:5-14:9", "src/a.rs", Some(columns), None);
        check("src/a.rs:12@HEAD~2", "src/a.rs", Some(Span::lines(12, 12)), Some("HEAD~2"));
        check("mail@example", "mail@example", None, None);
        check("here@example", "here", None, Some("example"));
        check("odd:12", "odd:12", None, None);
        check("odd:12:7", "odd:12", Some(Span::lines(7, 7)), None);
        check("odd:12@main", "odd:12", None, Some("main"));
        check("odd:12:7-9@main", "odd:12", Some(Span::lines(7, 9)), Some("main"));
        let here = Span { start: 12, end: 12, start_column: Some(7), end_column: Some(7) };
        check("even:12:7", "even", Some(here), None);
        check("pk/@types/i.ts:2", "pk/@types/i.ts", Some(Span::lines(2, 2)), None);
        check("pk/@types/i.ts:2@main", "pk/@types/i.ts", Some(Span::lines(2, 2)), Some("main"));
        check("pk/@types/i.ts@main", "pk/@types/i.ts", None, Some("main"));
        check("a@2x:2", "a@2x", Some(Span::lines(2, 2)), None);
        check("2024-01-02.txt", "2024-01-02.txt", None, None);
        check("a-12", "a-12", None, None);
    }

    #[test]
    fn lines_that_cannot_be_are_refused() {
        for bad in ["a:0", "a:20-12", "a:12:5-14", "a:1-", "a:-", "a:99999999999", "a:1:0-2:2", "a:3:9-3:5"] {
            assert!(parsed(bad).is_none(), "{bad}");
        }
    }
}
