//! Made-up source files and what people do to them, the same in every run.

/// A small generator of numbers, the same on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

const NOUNS: [&str; 24] = [
    "account", "buffer", "channel", "delivery", "element", "fragment", "gateway", "handler", "invoice",
    "journal", "kernel", "ledger", "message", "network", "order", "parcel", "query", "record", "session",
    "tenant", "update", "version", "window", "zone",
];

/// A name as programs have them: a few of them everywhere, most of them seldom.
fn name(dice: &mut Random) -> String {
    let first = NOUNS[dice.below(NOUNS.len())];
    match dice.below(3) {
        0 => first.to_owned(),
        _ => format!("{first}_{}{}", NOUNS[dice.below(NOUNS.len())], dice.below(8)),
    }
}

/// A file of functions with so many lines.
pub fn code(dice: &mut Random, lines: usize) -> Vec<String> {
    (0..lines).map(|line| statement(dice, line)).collect()
}

/// A line as it could stand at a place of a file.
pub fn statement(dice: &mut Random, line: usize) -> String {
    let mut noun = || name(dice);
    match line % 10 {
        0 => format!("fn {}_{}_{line}(input: &Input) -> Output {{", noun(), noun()),
        9 => "}".to_owned(),
        4 => format!("    if {}.is_ready() {{ return {}; }}", noun(), noun()),
        _ => {
            let (a, b, c) = (noun(), noun(), noun());
            format!("    let {a}_{} = {b}.compute({c}, {});", dice.below(40), dice.below(1_000))
        }
    }
}

/// One change of a file: lines edited, inserted and deleted at three places.
pub fn change(dice: &mut Random, lines: &mut Vec<String>) {
    for _ in 0..3 {
        let at = dice.below(lines.len());
        match dice.below(4) {
            0 => {
                for line in at..(at + 4).min(lines.len()) {
                    let number = dice.below(1_000);
                    lines[line] = lines[line].replace(", ", &format!(", {number} + "));
                }
            }
            1 => lines[at] = format!("    {}", lines[at].replace("let ", "let mut ")),
            2 => {
                let new: Vec<String> = (1..5).map(|line| statement(dice, line)).collect();
                lines.splice(at..at, new);
            }
            _ if lines.len() > 50 => {
                let end = (at + 3).min(lines.len());
                lines.drain(at..end);
            }
            _ => {}
        }
    }
}

/// The text of some lines.
pub fn text(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}
