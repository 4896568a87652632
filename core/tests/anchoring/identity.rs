//! Random histories in which every line has an identity: the engine never mistakes one for another.

use std::num::NonZeroUsize;

use postil_core::anchoring::{Head, Position, locate};
use postil_core::record::Anchor;

use crate::world::{Files, World};

/// A line that knows who it is, whatever its text.
#[derive(Clone)]
struct Known {
    identity: u32,
    text: String,
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

struct Story {
    dice: Dice,
    lines: Vec<Known>,
    next: u32,
    path: String,
}

impl Story {
    fn new(seed: u64) -> Self {
        let mut story = Self { dice: Dice(seed), lines: Vec::new(), next: 0, path: "a.rs".to_owned() };
        for _ in 0..60 {
            let line = story.fresh();
            story.lines.push(line);
        }
        story
    }

    fn noun(&mut self) -> &'static str {
        NOUNS[self.dice.below(NOUNS.len())]
    }

    fn fresh(&mut self) -> Known {
        self.next += 1;
        let (a, b, c) = (self.noun(), self.noun(), self.noun());
        let number = self.dice.below(900);
        Known {
            identity: self.next,
            text: format!("    let {a}_{number} = {b}.prepare({c}, {});", self.next % 17),
        }
    }

    /// One commit: a few edits of each kind.
    fn change(&mut self) {
        for _ in 0..3 {
            let at = self.dice.below(self.lines.len());
            match self.dice.below(8) {
                0 | 1 => {
                    let line = self.fresh();
                    self.lines.insert(at, line);
                }
                2 if self.lines.len() > 30 => {
                    self.lines.remove(at);
                }
                3 | 4 => {
                    let (old, new) = (self.noun(), self.noun());
                    let text = &mut self.lines[at].text;
                    *text = if text.contains(old) {
                        text.replacen(old, new, 1)
                    } else {
                        format!("{text} // {new}")
                    };
                }
                5 => {
                    let end = (at + 1 + self.dice.below(5)).min(self.lines.len());
                    let block: Vec<Known> = self.lines.drain(at..end).collect();
                    let to = self.dice.below(self.lines.len());
                    self.lines.splice(to..to, block);
                }
                6 => {
                    let end = (at + 4).min(self.lines.len());
                    for line in &mut self.lines[at..end] {
                        line.text = format!("    {}", line.text);
                    }
                }
                7 => {
                    self.next += 1;
                    let twin = Known { identity: self.next, text: self.lines[at].text.clone() };
                    let to = self.dice.below(self.lines.len());
                    self.lines.insert(to, twin);
                }
                _ => {}
            }
        }
        if self.dice.below(12) == 0 {
            self.path = format!("{}{}.rs", self.noun(), self.next);
        }
    }

    fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{}\n", line.text)).collect()
    }
}

#[derive(Default)]
struct Tally {
    right: usize,
    lost: usize,
    wrong: usize,
    anchored_wrong: usize,
    false_places: usize,
    gone: usize,
}

fn tell(seed: u64, commits: usize, tally: &mut Tally) {
    let world = World::new();
    let mut story = Story::new(seed);
    let begin = story.lines.clone();
    let text = story.text();
    let first = world.commit(&Files::from([(story.path.as_str(), text.clone())]), &[]);
    let anchors: Vec<Anchor> =
        (1..=begin.len() as u32).map(|line| world.anchor(Some(first), "a.rs", &text, line, line)).collect();
    let mut head = first;
    for _ in 0..commits {
        story.change();
        head = world.commit(&Files::from([(story.path.as_str(), story.text())]), &[head]);
    }
    let to = Head { tree: world.tree_of(head), commit: Some(head) };
    let positions = locate(&world.repo, &anchors, to, NonZeroUsize::MIN);
    for (line, position) in begin.iter().zip(positions) {
        let position = position.unwrap();
        let exists = story.lines.iter().any(|other| other.identity == line.identity);
        let range = position.site().and_then(|site| site.range);
        let found = range.map(|range| story.lines[range.span().first() as usize - 1].identity);
        match (exists, found) {
            (true, Some(found)) if found == line.identity => tally.right += 1,
            (true, None) => tally.lost += 1,
            (false, None) => tally.gone += 1,
            (exists, Some(_)) => {
                if exists {
                    tally.wrong += 1;
                } else {
                    tally.false_places += 1;
                }
                if matches!(position, Position::Anchored { .. }) {
                    tally.anchored_wrong += 1;
                }
            }
        }
    }
}

#[test]
fn no_line_is_mistaken_for_another_in_random_histories() {
    let mut tally = Tally::default();
    for seed in 1..=12 {
        tell(u64::wrapping_mul(seed, 0x9e37_79b9_7f4a_7c15), 12, &mut tally);
    }
    let exist = tally.right + tally.lost + tally.wrong;
    let all = exist + tally.gone + tally.false_places;
    println!(
        "{all} lines: {} right, {} lost, {} wrong; {} gone, {} of them placed; {} wrongly anchored",
        tally.right,
        tally.lost,
        tally.wrong,
        tally.gone + tally.false_places,
        tally.false_places,
        tally.anchored_wrong
    );
    assert_eq!(tally.anchored_wrong, 0, "an anchored line is never another one");
    assert!(tally.right * 100 >= exist * 95, "{} of {exist} are right", tally.right);
    assert!(tally.wrong * 200 <= all, "{} of {all} are wrong", tally.wrong);
}
