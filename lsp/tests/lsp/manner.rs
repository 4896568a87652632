//! How each editor tells a server that a text changed, as it was recorded from the real ones.

use postil_testkit::Dice;
use serde_json::{Value, json};

/// An editor, by the way in which it sends changes.
#[derive(Clone, Copy, Debug)]
pub enum Manner {
    /// Each edit at once, as one change; several cursors in one notification, from the end of the text to its beginning.
    VsCode,
    /// One replacement of all lines that differ; a filter inserts the new text and deletes the old one.
    Neovim,
    /// One change for each run of lines that differs, each in the text after the ones before.
    Helix,
    /// Each deletion and each insertion for itself, several in one notification; the whole text if it lost count.
    Emacs,
}

/// How an editor reads a file again that another program changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reload {
    /// As a change.
    Changes,
    /// It closes the document, and opens it with version 0.
    CloseAndOpen,
}

impl Manner {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::VsCode, Self::Neovim, Self::Helix, Self::Emacs];

    /// What its columns count.
    pub fn encoding(self) -> &'static str {
        match self {
            Self::VsCode | Self::Neovim => "utf-16",
            Self::Helix => "utf-8",
            Self::Emacs => "utf-32",
        }
    }

    /// How it reads a file again.
    pub fn reload(self) -> Reload {
        match self {
            Self::VsCode | Self::Helix => Reload::Changes,
            Self::Neovim | Self::Emacs => Reload::CloseAndOpen,
        }
    }

    /// Whether it tells that a file was renamed.
    pub fn tells_renames(self) -> bool {
        matches!(self, Self::VsCode | Self::Helix)
    }

    /// The notifications after a person edited a text.
    pub fn changes(self, from: &str, to: &str, dice: &mut Dice) -> Vec<Value> {
        match self {
            Self::VsCode if dice.index(2) == 0 => vec![self.backwards(from, to)],
            Self::VsCode => self.replaced(from, to),
            Self::Neovim if dice.index(4) == 0 && from.ends_with('\n') && to.ends_with('\n') => {
                vec![filtered(from, to)]
            }
            Self::Neovim => vec![json!([self.lines(from, to)])],
            Self::Helix => vec![self.forwards(from, to)],
            Self::Emacs if dice.index(5) == 0 => vec![json!([{ "text": to }])],
            // After each key, or only once somebody stops.
            Self::Emacs if dice.index(2) == 0 => {
                self.apart(from, to).into_iter().map(|change| json!([change])).collect()
            }
            Self::Emacs => vec![json!(self.apart(from, to))],
        }
    }

    /// The notifications after it read a file again, for those that tell it as a change.
    pub fn replaced(self, from: &str, to: &str) -> Vec<Value> {
        match self {
            Self::Helix => vec![self.forwards(from, to)],
            _ => {
                let (head, tail) = equal_ends(from, to);
                vec![json!([self.change(from, head..from.len() - tail, &to[head..to.len() - tail])])]
            }
        }
    }

    /// One replacement of whole lines.
    fn lines(self, from: &str, to: &str) -> Value {
        let (head, tail) = equal_ends(from, to);
        let begin = from[..head].rfind('\n').map_or(0, |at| at + 1);
        let end = from[from.len() - tail..].find('\n').map_or(0, |at| tail - at - 1);
        self.change(from, begin..from.len() - end, &to[begin..to.len() - end])
    }

    /// A deletion, and an insertion at its place.
    fn apart(self, from: &str, to: &str) -> Vec<Value> {
        let (head, tail) = equal_ends(from, to);
        let deleted = self.change(from, head..from.len() - tail, "");
        let rest = format!("{}{}", &from[..head], &from[from.len() - tail..]);
        vec![deleted, self.change(&rest, head..head, &to[head..to.len() - tail])]
    }

    /// A change for each run of lines that differs, each in the text after those before.
    fn forwards(self, from: &str, to: &str) -> Value {
        let mut text = from.to_owned();
        let mut moved = 0_isize;
        let mut changes = Vec::new();
        for (old, new) in runs(from, to) {
            let start = old.start.saturating_add_signed(moved);
            let end = old.end.saturating_add_signed(moved);
            changes.push(self.change(&text, start..end, &to[new.clone()]));
            text.replace_range(start..end, &to[new.clone()]);
            moved += new.len() as isize - old.len() as isize;
        }
        assert_eq!(text, to, "the changes lead to the text");
        Value::from(changes)
    }

    /// The same from the end of the text, so that no change moves another one.
    fn backwards(self, from: &str, to: &str) -> Value {
        let runs: Vec<_> = runs(from, to);
        Value::from(
            runs.into_iter().rev().map(|(old, new)| self.change(from, old, &to[new])).collect::<Vec<_>>(),
        )
    }

    fn change(self, text: &str, part: std::ops::Range<usize>, with: &str) -> Value {
        let position = |offset: usize| {
            let before = &text[..offset];
            let last = before.rsplit('\n').next().unwrap_or_default();
            let character = match self.encoding() {
                "utf-8" => last.len(),
                "utf-16" => last.encode_utf16().count(),
                _ => last.chars().count(),
            };
            json!({ "line": before.matches('\n').count(), "character": character })
        };
        json!({ "range": { "start": position(part.start), "end": position(part.end) }, "text": with })
    }
}

/// A filter of Neovim: the new text is put before the old one, which is deleted then.
fn filtered(from: &str, to: &str) -> Value {
    let (old, new) = (from.matches('\n').count(), to.matches('\n').count());
    let position = |line: usize| json!({ "line": line, "character": 0 });
    json!([
        { "range": { "start": position(0), "end": position(0) }, "text": to },
        { "range": { "start": position(new), "end": position(new + old) }, "text": "" },
    ])
}

/// The bytes that are equal at the beginning and, of the rest, at the end; whole characters.
fn equal_ends(from: &str, to: &str) -> (usize, usize) {
    let head = from.chars().zip(to.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    let (old, new) = (&from[head..], &to[head..]);
    let tail = old.chars().rev().zip(new.chars().rev()).take_while(|(a, b)| a == b);
    (head, tail.map(|(c, _)| c.len_utf8()).sum())
}

/// The runs of lines that differ, in bytes of both texts; not always the shortest ones.
fn runs(from: &str, to: &str) -> Vec<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (from.split_inclusive('\n').collect(), to.split_inclusive('\n').collect());
    let (mut runs, mut at, mut there) = (Vec::new(), 0, 0);
    let (mut bytes, mut bytes_there) = (0, 0);
    let mut begin: Option<(usize, usize)> = None;
    while at < old.len() || there < new.len() {
        if at < old.len() && there < new.len() && old[at] == new[there] {
            if let Some((from, to)) = begin.take() {
                runs.push((from..bytes, to..bytes_there));
            }
            (bytes, bytes_there) = (bytes + old[at].len(), bytes_there + new[there].len());
            (at, there) = (at + 1, there + 1);
            continue;
        }
        begin.get_or_insert((bytes, bytes_there));
        // Goes on in the text whose line comes later in the other one.
        let later = |line: Option<&&str>, lines: &[&str]| line.is_some_and(|line| lines.contains(line));
        let is_deleted = there >= new.len() || !later(old.get(at), &new[there..]);
        let is_added = at >= old.len() || !later(new.get(there), &old[at..]);
        if at < old.len() && (is_deleted || !is_added) {
            bytes += old[at].len();
            at += 1;
        }
        if there < new.len() && (is_added || at >= old.len()) {
            bytes_there += new[there].len();
            there += 1;
        }
    }
    runs.extend(begin.map(|(from, to)| (from..bytes, to..bytes_there)));
    runs
}
