//! Every place where one sequence is in another, overlapping ones included.
//!
//! Knuth, Morris and Pratt: linear also where a text repeats itself, which a search from each
//! place again is not.

/// Returns where `pattern` begins in `text`, in ascending order; nowhere when it is empty.
pub(super) fn occurrences<T: PartialEq>(text: &[T], pattern: &[T]) -> Vec<usize> {
    let mut found = Vec::new();
    if pattern.is_empty() || pattern.len() > text.len() {
        return found;
    }
    let borders = borders(pattern);
    let mut matched = 0;
    for (at, item) in text.iter().enumerate() {
        while matched > 0 && pattern[matched] != *item {
            matched = borders[matched - 1];
        }
        if pattern[matched] == *item {
            matched += 1;
        }
        if matched == pattern.len() {
            found.push(at + 1 - matched);
            matched = borders[matched - 1];
        }
    }
    found
}

/// For each start of the pattern, the longest shorter start that it also ends with.
fn borders<T: PartialEq>(pattern: &[T]) -> Vec<usize> {
    let mut borders = vec![0; pattern.len()];
    let mut matched = 0;
    for at in 1..pattern.len() {
        while matched > 0 && pattern[matched] != pattern[at] {
            matched = borders[matched - 1];
        }
        if pattern[matched] == pattern[at] {
            matched += 1;
        }
        borders[at] = matched;
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_places_are_found_too() {
        let check = |text: &str, pattern: &str, places: &[usize]| {
            assert_eq!(occurrences(text.as_bytes(), pattern.as_bytes()), places, "{pattern} in {text}");
        };
        check("aaaa", "aa", &[0, 1, 2]);
        check("abababc", "ababc", &[2]);
        check("abcabcabd", "abcabd", &[3]);
        check("a", "ab", &[]);
        check("a", "", &[]);
    }
}
