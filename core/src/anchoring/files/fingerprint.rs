//! The lines of a file as numbers, so that one file can be compared with a thousand others.
//!
//! Which files are compared, and what their likeness means, is `renames`' work.

use crate::edit::{Text, normal_hash};

use super::bypass::is_binary;

/// Larger files are renamed only by identical content.
const MAX_COMPARED_BYTES: usize = 1 << 20;

/// The lines of a file, ready to be compared with those of many others.
#[derive(Clone, Debug)]
pub(crate) struct FileFingerprint {
    /// What its lines weigh together.
    pub size: u64,
    /// The hash of each line, how often it occurs, and what its first occurrence weighs; sorted by hash.
    lines: Vec<(u64, u32, u32)>,
}

impl FileFingerprint {
    /// The fingerprint of a text; `None` if it is too large, or has no lines.
    pub fn of(text: &Text) -> Option<Self> {
        if text.bytes().len() > MAX_COMPARED_BYTES || is_binary(text.bytes()) {
            return None;
        }
        let weigh = |line: &[u8]| line.trim_ascii().len() as u32;
        let mut lines: Vec<(u64, u32, u32)> =
            text.bare_lines().map(|line| (normal_hash(line), 1, weigh(line))).collect();
        let size = lines.iter().map(|line| u64::from(line.2)).sum();
        // A stable sort: of equal lines the first one stays in front, and its weight counts.
        lines.sort_by_key(|line| line.0);
        lines.dedup_by(|next, first| {
            let same = next.0 == first.0;
            first.1 += u32::from(same);
            same
        });
        Some(Self { size, lines })
    }

    /// The lines that another file has not, or has less often.
    pub fn without(&self, other: &Self) -> Self {
        let mut theirs = other.lines.iter().peekable();
        let mut lines = Vec::new();
        for (hash, count, weight) in &self.lines {
            while theirs.next_if(|their| their.0 < *hash).is_some() {}
            let there = theirs.peek().filter(|their| their.0 == *hash).map_or(0, |their| their.1);
            if *count > there {
                lines.push((*hash, count - there, *weight));
            }
        }
        let size = lines.iter().map(|(_, count, weight)| u64::from(*count) * u64::from(*weight)).sum();
        Self { size, lines }
    }

    /// What the lines weigh that another file has too.
    pub fn shared(&self, other: &Self) -> u64 {
        let (mut ours, mut theirs) = (self.lines.iter().peekable(), other.lines.iter().peekable());
        let mut shared = 0;
        while let (Some((hash, count, weight)), Some((other_hash, other_count, _))) =
            (ours.peek(), theirs.peek())
        {
            match hash.cmp(other_hash) {
                std::cmp::Ordering::Less => drop(ours.next()),
                std::cmp::Ordering::Greater => drop(theirs.next()),
                std::cmp::Ordering::Equal => {
                    shared += u64::from(*count.min(other_count)) * u64::from(*weight);
                    ours.next();
                    theirs.next();
                }
            }
        }
        shared
    }
}
