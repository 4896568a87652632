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

    /// One commit: a copy, or three edits of other kinds, and seldom a rename or a split of a file.
    pub fn change(&mut self) {
        let copies = self.dice.below(4) == 0;
        for _ in 0..if copies { 1 } else { 3 } {
            let at = self.dice.below(self.files.len());
            let path = self.files.keys().nth(at).cloned().unwrap_or_default();
            let mut lines = self.files.remove(&path).unwrap_or_default();
            if copies {
                self.copy(&mut lines);
            } else {
                self.edit(&mut lines);
            }
            self.files.insert(path, lines);
        }
        if copies {
            return;
        }
        if self.dice.below(12) == 0 {
            let at = self.dice.below(self.files.len());
            let path = self.files.keys().nth(at).cloned().unwrap_or_default();
            let lines = self.files.remove(&path).unwrap_or_default();
            let name = self.name();
            self.files.insert(name, lines);
        }
        if self.dice.below(24) == 0 && self.files.len() < 4 {
            let name = self.name();
            if let Some(lines) = self.files.values_mut().next().filter(|lines| lines.len() > 30) {
                let tail = lines.split_off(lines.len() - 12);
                self.files.insert(name, tail);
            }
        }
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("{}{}.rs", self.noun(), self.next)
    }

    fn edit(&mut self, lines: &mut Vec<Known>) {
        let at = self.dice.below(lines.len());
        match self.dice.below(7) {
            0 | 1 => {
                let line = self.fresh();
                lines.insert(at, line);
            }
            2 if lines.len() > 30 => {
                lines.remove(at);
            }
            3 | 4 => {
                let (old, new) = (self.noun(), self.noun());
                let text = &mut lines[at].text;
                *text =
                    if text.contains(old) { text.replacen(old, new, 1) } else { format!("{text} // {new}") };
            }
            5 if lines.len() > 8 => {
                let end = (at + 1 + self.dice.below(5)).min(lines.len());
                let block: Vec<Known> = lines.drain(at..end).collect();
                let to = self.dice.below(lines.len() + 1);
                lines.splice(to..to, block);
            }
            6 => {
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

    /// The texts of the files.
    pub fn texts(&self) -> BTreeMap<&str, String> {
        let text = |lines: &[Known]| lines.iter().map(|line| format!("{}\n", line.text)).collect();
        self.files.iter().map(|(path, lines)| (path.as_str(), text(lines))).collect()
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
