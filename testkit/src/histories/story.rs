//! Random histories in which every line has an identity, whatever becomes of its text.
//!
//! A copy is another identity than its original, told apart by what stands around it. That must be possible:
//! a commit that copies a line does nothing else, since a copy beside a deleted original is a move to everybody.
//! Which of two equal lines right beside each other is the original nobody can say: both count as either.

use std::collections::BTreeMap;

/// A line that knows who it is, whatever its text.
#[derive(Clone)]
pub struct Known {
    pub identity: u32,
    pub text: String,
}

/// A small generator of numbers, the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

const NOUNS: [&str; 12] = [
    "account", "buffer", "channel", "delivery", "element", "fragment", "gateway", "handler", "invoice",
    "journal", "kernel", "ledger",
];

const VERBS: [&str; 12] = [
    "apply", "borrow", "collect", "derive", "emit", "fold", "gather", "hold", "insert", "join", "keep",
    "lift",
];

/// What can be done to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Insert,
    Delete,
    Edit,
    Move,
    Reformat,
    Rename,
    Split,
    Copy,
}

impl Verb {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Insert,
        Self::Delete,
        Self::Edit,
        Self::Move,
        Self::Reformat,
        Self::Rename,
        Self::Split,
        Self::Copy,
    ];
}

/// Files that change from commit to commit.
pub struct Story {
    dice: Dice,
    pub files: BTreeMap<String, Vec<Known>>,
    next: u32,
}

impl Story {
    /// One file of sixty lines, `a.rs`.
    pub fn new(seed: u64) -> Self {
        let dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut story = Self { dice, files: BTreeMap::new(), next: 0 };
        let lines = (0..60).map(|_| story.fresh()).collect();
        story.files.insert("a.rs".to_owned(), lines);
        story
    }

    fn noun(&mut self) -> &'static str {
        NOUNS[self.dice.below(NOUNS.len())]
    }

    fn fresh(&mut self) -> Known {
        self.next += 1;
        let (a, b, c) = (self.noun(), self.noun(), self.noun());
        let (verb, number) = (VERBS[self.dice.below(VERBS.len())], self.dice.below(900));
        let text = format!("    let {a}_{number} = {b}.{verb}({c}, {});", self.next % 17);
        Known { identity: self.next, text }
    }

    /// One commit of one verb: one copy, rename or split, or three edits of the other kinds.
    pub fn change_by(&mut self, verb: Verb) {
        match verb {
            Verb::Rename => self.rename(),
            Verb::Split => self.split(),
            Verb::Copy => self.in_some_file(Self::copy),
            Verb::Insert | Verb::Delete | Verb::Edit | Verb::Move | Verb::Reformat => {
                for _ in 0..3 {
                    self.in_some_file(|story, lines| story.edit_by(verb, lines));
                }
            }
        }
    }

    /// Adds some lines in one place of some file.
    pub fn add_block(&mut self, count: usize) {
        self.in_some_file(|story, lines| {
            let at = story.dice.below(lines.len() + 1);
            let block: Vec<Known> = (0..count).map(|_| story.fresh()).collect();
            lines.splice(at..at, block);
        });
    }

    /// One commit of three edits, each by one of these verbs.
    pub fn change_some(&mut self, verbs: &[Verb]) {
        for _ in 0..3 {
            let verb = verbs[self.dice.below(verbs.len())];
            self.in_some_file(|story, lines| story.edit_by(verb, lines));
        }
    }

    /// One commit: a copy, or three edits of other kinds, and seldom a rename or a split of a file.
    pub fn change(&mut self) {
        if self.dice.below(4) == 0 {
            return self.in_some_file(Self::copy);
        }
        for _ in 0..3 {
            self.in_some_file(Self::edit);
        }
        if self.dice.below(12) == 0 {
            self.rename();
        }
        if self.dice.below(24) == 0 {
            self.split();
        }
    }

    fn in_some_file(&mut self, change: impl FnOnce(&mut Self, &mut Vec<Known>)) {
        let path = self.some_path();
        let mut lines = self.files.remove(&path).unwrap_or_default();
        change(self, &mut lines);
        self.files.insert(path, lines);
    }

    fn some_path(&mut self) -> String {
        let at = self.dice.below(self.files.len());
        self.files.keys().nth(at).cloned().unwrap_or_default()
    }

    fn rename(&mut self) {
        let path = self.some_path();
        let lines = self.files.remove(&path).unwrap_or_default();
        let name = self.name();
        self.files.insert(name, lines);
    }

    /// The first file loses its tail to a new one, if it is long enough.
    fn split(&mut self) {
        if self.files.len() >= 4 {
            return;
        }
        let name = self.name();
        if let Some(lines) = self.files.values_mut().next().filter(|lines| lines.len() > 30) {
            let tail = lines.split_off(lines.len() - 12);
            self.files.insert(name, tail);
        }
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("{}{}.rs", self.noun(), self.next)
    }

    fn edit(&mut self, lines: &mut Vec<Known>) {
        let at = self.dice.below(lines.len());
        let verb = match self.dice.below(7) {
            0 | 1 => Verb::Insert,
            2 => Verb::Delete,
            3 | 4 => Verb::Edit,
            5 => Verb::Move,
            _ => Verb::Reformat,
        };
        self.edit_at(verb, lines, at);
    }

    fn edit_by(&mut self, verb: Verb, lines: &mut Vec<Known>) {
        let at = self.dice.below(lines.len());
        self.edit_at(verb, lines, at);
    }

    fn edit_at(&mut self, verb: Verb, lines: &mut Vec<Known>, at: usize) {
        match verb {
            Verb::Insert => {
                let line = self.fresh();
                lines.insert(at, line);
            }
            Verb::Delete if lines.len() > 30 => {
                lines.remove(at);
            }
            Verb::Edit => {
                let (old, new) = (self.noun(), self.noun());
                let text = &mut lines[at].text;
                *text =
                    if text.contains(old) { text.replacen(old, new, 1) } else { format!("{text} // {new}") };
            }
            Verb::Move if lines.len() > 8 => {
                let end = (at + 1 + self.dice.below(5)).min(lines.len());
                let block: Vec<Known> = lines.drain(at..end).collect();
                let to = self.dice.below(lines.len() + 1);
                lines.splice(to..to, block);
            }
            Verb::Reformat => {
                let end = (at + 4).min(lines.len());
                for line in &mut lines[at..end] {
                    line.text = format!("    {}", line.text);
                }
            }
            _ => {}
        }
    }

    fn copy(&mut self, lines: &mut Vec<Known>) {
        self.next += 1;
        let at = self.dice.below(lines.len());
        let twin = Known { identity: self.next, text: lines[at].text.clone() };
        let to = self.dice.below(lines.len());
        lines.insert(to, twin);
    }

    /// Whether the line at a place, counted from one, is the one with this identity.
    pub fn is_it(&self, identity: u32, path: &str, line: u32) -> bool {
        let Some(lines) = self.files.get(path) else { return false };
        let at = line as usize - 1;
        let Some(found) = lines.get(at) else { return false };
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        found.identity == identity
            || beside
                .filter_map(|at| lines.get(at))
                .any(|other| other.identity == identity && other.text == found.text)
    }

    /// Whether a line still exists.
    pub fn exists(&self, identity: u32) -> bool {
        self.files.values().flatten().any(|line| line.identity == identity)
    }
}

/// The texts of files at any time.
pub fn texts(files: &BTreeMap<String, Vec<Known>>) -> BTreeMap<&str, String> {
    let text = |lines: &[Known]| lines.iter().map(|line| format!("{}\n", line.text)).collect();
    files.iter().map(|(path, lines)| (path.as_str(), text(lines))).collect()
}

/// How many lines ended where.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub right: usize,
    pub lost: usize,
    pub wrong: usize,
    pub anchored_wrong: usize,
    pub false_places: usize,
    pub gone: usize,
}

impl Tally {
    /// Counts a line that is said to be somewhere, or nowhere.
    pub fn count(&mut self, story: &Story, identity: u32, place: Option<(&str, u32)>, is_anchored: bool) {
        match (story.exists(identity), place) {
            (true, Some((path, line))) if story.is_it(identity, path, line) => self.right += 1,
            (true, None) => self.lost += 1,
            (false, None) => self.gone += 1,
            (exists, Some(_)) => {
                *(if exists { &mut self.wrong } else { &mut self.false_places }) += 1;
                self.anchored_wrong += usize::from(is_anchored);
            }
        }
    }

    /// How many lines there were, and how many of them still exist.
    pub fn all(&self) -> (usize, usize) {
        let exist = self.right + self.lost + self.wrong;
        (exist + self.gone + self.false_places, exist)
    }

    /// What was counted, in words.
    pub fn told(&self) -> String {
        let (all, exist) = self.all();
        let share = |count: usize, of: usize| 100.0 * count as f64 / of.max(1) as f64;
        format!(
            "{all} lines: {} right of {exist} ({:.2} %), {} lost, {} wrong; {} gone, {} of them placed; {:.2} % on another; {} wrongly anchored",
            self.right,
            share(self.right, exist),
            self.lost,
            self.wrong,
            self.gone + self.false_places,
            self.false_places,
            share(self.wrong + self.false_places, all),
            self.anchored_wrong
        )
    }
}
