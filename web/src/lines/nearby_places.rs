//! Where in a file lines may belong whose place is lost: the stretches that are most like them, near where they stood.
//!
//! Pure, and for people to choose from: nothing is placed by it.

use std::collections::HashMap;

/// So many places are offered.
const MOST: usize = 12;

/// Of a longer file, the beginning is searched.
const MAX_LINES: usize = 50_000;

/// Of more lines, the first are compared.
const MAX_COMPARED: usize = 40;

/// So many lines away, being near counts half.
const HALF_WAY: f64 = 40.0;

/// How much being near counts, beside being alike.
const WEIGHT_OF_NEAR: f64 = 0.25;

/// Lines that a thread may be on, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NearbyPlace {
    /// The first line.
    pub start: u32,
    /// The last line, included.
    pub end: u32,
    /// How many per cent of the words are the same.
    pub alike: u32,
}

/// The places for lines that stood at `at`, the best first; with `words`, only those whose first line has all of them.
pub(crate) fn nearby(lines: &[&str], was: &[&str], at: u32, words: &str) -> Vec<NearbyPlace> {
    let lines = &lines[..lines.len().min(MAX_LINES)];
    let count = was.len().clamp(1, lines.len().max(1));
    let compared = count.min(MAX_COMPARED);
    let wanted = bag(was.iter().take(compared).copied());
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let mut found: Vec<(f64, NearbyPlace)> = Vec::new();
    for from in 0..=lines.len().saturating_sub(count) {
        let Some(first) = lines.get(from) else { break };
        let first = first.to_lowercase();
        if !words.iter().all(|word| first.contains(word)) {
            continue;
        }
        let alike = alike(&wanted, &bag(lines[from..from + compared].iter().copied()));
        if words.is_empty() && alike == 0.0 {
            continue;
        }
        let (start, far) = (number(from), f64::from(number(from).abs_diff(at)));
        let score = alike + WEIGHT_OF_NEAR * HALF_WAY / (HALF_WAY + far);
        let place =
            NearbyPlace { start, end: number(from + count - 1), alike: (alike * 100.0).round() as u32 };
        found.push((score, place));
    }
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut chosen: Vec<NearbyPlace> = Vec::new();
    for (_, place) in found {
        // A place that overlaps a better one is the same place.
        if chosen.iter().all(|other| place.end < other.start || other.end < place.start) {
            chosen.push(place);
        }
        if chosen.len() == MOST {
            break;
        }
    }
    chosen
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

/// How often each word is there; what is no word counts by its signs.
fn bag<'a>(lines: impl Iterator<Item = &'a str>) -> HashMap<&'a str, u32> {
    let mut bag = HashMap::new();
    for line in lines {
        for word in line.split(|found: char| !found.is_alphanumeric() && found != '_') {
            if !word.is_empty() {
                *bag.entry(word).or_default() += 1;
            }
        }
    }
    bag
}

/// The share of words that both have.
fn alike(one: &HashMap<&str, u32>, other: &HashMap<&str, u32>) -> f64 {
    let size = |bag: &HashMap<&str, u32>| bag.values().sum::<u32>();
    let both: u32 = one.iter().map(|(word, count)| (*count).min(other.get(word).copied().unwrap_or(0))).sum();
    let all = size(one) + size(other);
    if all == 0 { 0.0 } else { f64::from(2 * both) / f64::from(all) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(lines: &[&str], was: &[&str], at: u32, words: &str) -> Vec<u32> {
        nearby(lines, was, at, words).iter().map(|place| place.start).collect()
    }

    #[test]
    fn what_is_alike_comes_first_and_of_equals_what_is_near() {
        let lines = ["fn one(a)", "fn two(b)", "", "let x = two;", "fn two(b)", "}"];
        assert_eq!(starts(&lines, &["fn two(b)"], 6, ""), [5, 2, 4, 1]);
        assert_eq!(starts(&lines, &["fn two(b)"], 1, "")[0], 2);
        assert_eq!(nearby(&lines, &["fn two(b)"], 1, "")[0].alike, 100);
        assert_eq!(starts(&lines, &["nothing like it"], 3, ""), [0u32; 0]);
    }

    #[test]
    fn words_choose_and_several_lines_stay_together() {
        let lines = ["a one", "b two", "c three", "d two four"];
        assert_eq!(starts(&lines, &["x", "y"], 1, "TWO"), [2]);
        assert_eq!(starts(&lines, &["x"], 4, "two"), [4, 2]);
        let places = nearby(&lines, &["b two", "c three"], 1, "");
        assert_eq!((places[0].start, places[0].end), (2, 3));
    }

    #[test]
    fn empty_files_and_lines_are_no_trouble() {
        assert!(nearby(&[], &["a"], 1, "").is_empty());
        assert!(nearby(&["", ""], &[], 9, "").is_empty());
        assert_eq!(starts(&["", "a"], &[], 9, "a"), [2]);
        assert_eq!(nearby(&["a"], &["a", "b", "c"], 1, "")[0].end, 1);
    }
}
