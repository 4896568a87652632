//! Short ids of comments and reviews: a unique prefix of the id, as git has for commits.
//!
//! Only ids of records that are here count. Anybody can choose the id of a missing parent, which must not be able to
//! make all other short ids long.

use std::fmt;

use crate::record::RecordId;

/// The least digits of a short id, as in git: it should stay unique after the next comments.
pub const MIN_SHORT_DIGITS: usize = 7;

/// How many hexadecimal digits a whole id has.
const ID_DIGITS: usize = RecordId::LEN * 2;

/// The ids that people can use, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefixes {
    ids: Vec<RecordId>,
}

/// What a prefix matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefixMatch<'a> {
    /// Exactly one id.
    Unique(RecordId),
    /// Several ids, in ascending order.
    Ambiguous(&'a [RecordId]),
    /// No id, or these are not the digits of an id.
    Unknown,
}

/// An id, shown with as many digits as make it unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortId {
    id: RecordId,
    digits: usize,
}

impl Prefixes {
    /// Takes ids in any order, with duplicates.
    pub fn new(ids: impl IntoIterator<Item = RecordId>) -> Self {
        let mut ids: Vec<RecordId> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        Self { ids }
    }

    /// Adds more ids; duplicates are ignored.
    pub fn extend(&mut self, ids: impl IntoIterator<Item = RecordId>) {
        let mut new: Vec<RecordId> =
            ids.into_iter().filter(|id| self.ids.binary_search(id).is_err()).collect();
        if let [id] = new[..] {
            self.ids.insert(self.ids.partition_point(|known| *known < id), id);
        } else if !new.is_empty() {
            self.ids.append(&mut new);
            // What was there is in order, so that little is left to sort.
            self.ids.sort();
            self.ids.dedup();
        }
    }

    /// Finds an id by its first digits, in upper or lower case.
    ///
    /// One digit is enough if it is unique. Costs two binary searches.
    pub fn find(&self, prefix: &str) -> PrefixMatch<'_> {
        let Some((lowest, highest)) = bounds(prefix) else { return PrefixMatch::Unknown };
        let from = self.ids.partition_point(|id| *id < lowest);
        let up_to = self.ids.partition_point(|id| *id <= highest);
        match &self.ids[from..up_to] {
            [] => PrefixMatch::Unknown,
            [id] => PrefixMatch::Unique(*id),
            several => PrefixMatch::Ambiguous(several),
        }
    }

    /// The shortest unique prefix of `id`, whether or not it is here itself.
    pub fn shorten(&self, id: RecordId) -> ShortId {
        let shared = self.neighbours(id).map(|other| shared_digits(id, other));
        let digits = shared.max().map_or(0, |shared| shared + 1);
        ShortId { id, digits: digits.clamp(MIN_SHORT_DIGITS, ID_DIGITS) }
    }

    /// The other ids that have more digits in their short ids because `id` is here.
    pub fn longer_for(&self, id: RecordId) -> impl Iterator<Item = RecordId> {
        self.neighbours(id).filter(move |other| shared_digits(id, *other) >= MIN_SHORT_DIGITS)
    }

    /// The ids before and after `id`, whether or not it is here itself.
    fn neighbours(&self, id: RecordId) -> impl Iterator<Item = RecordId> {
        let at = self.ids.partition_point(|other| *other < id);
        let behind = at + usize::from(self.ids.get(at) == Some(&id));
        let before = at.checked_sub(1).and_then(|before| self.ids.get(before));
        before.into_iter().chain(self.ids.get(behind)).copied()
    }
}

impl ShortId {
    /// The whole id.
    pub fn id(self) -> RecordId {
        self.id
    }

    /// How many digits are shown.
    pub fn digits(self) -> usize {
        self.digits
    }
}

impl fmt::Display for ShortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id.to_string()[..self.digits])
    }
}

/// The lowest and the highest id that begin with these digits.
fn bounds(prefix: &str) -> Option<(RecordId, RecordId)> {
    if !(1..=ID_DIGITS).contains(&prefix.len()) || !prefix.is_ascii() {
        return None;
    }
    let fill =
        |digit: &str| RecordId::from_hex(&(prefix.to_owned() + &digit.repeat(ID_DIGITS - prefix.len())));
    fill("0").zip(fill("f"))
}

/// With how many equal digits two ids begin.
fn shared_digits(one: RecordId, other: RecordId) -> usize {
    let differing = u128::from_be_bytes(*one.as_bytes()) ^ u128::from_be_bytes(*other.as_bytes());
    differing.leading_zeros() as usize / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An id that begins with these digits and goes on with zeros.
    fn id(prefix: &str) -> RecordId {
        bounds(prefix).unwrap().0
    }

    fn index(prefixes: &[&str]) -> Prefixes {
        Prefixes::new(prefixes.iter().map(|prefix| id(prefix)))
    }

    #[test]
    fn a_new_id_makes_few_other_short_ids_longer() {
        let check = |others: &[&str], of: &str, longer: &[&str]| {
            let (mut all, before) = (index(others), index(others));
            all.extend([id(of)]);
            let is_longer = |other: &RecordId| all.shorten(*other).digits() > before.shorten(*other).digits();
            let found: Vec<RecordId> = all.longer_for(id(of)).collect();
            assert_eq!(found, longer.iter().map(|other| id(other)).collect::<Vec<_>>(), "{of}: {others:?}");
            let others = others.iter().map(|other| id(other));
            assert!(others.filter(is_longer).all(|other| found.contains(&other)), "{of}");
        };
        check(&[], "abc", &[]);
        check(&["abc", "abd", "f"], "abcdef01", &[]);
        check(&["abcdef01", "abcdef04", "abcdef05"], "abcdef02", &["abcdef01", "abcdef04"]);
        check(&["abcdef01", "abcdef11"], "abcdef02", &["abcdef01"]);
    }

    #[test]
    fn a_short_id_has_seven_digits_or_as_many_as_tell_it_apart() {
        let check = |others: &[&str], of: &str, shown: &str| {
            assert_eq!(index(others).shorten(id(of)).to_string(), shown, "{of} among {others:?}");
        };
        check(&[], "abc", "abc0000");
        check(&["abc"], "abc", "abc0000");
        check(&["abc", "1"], "abc", "abc0000");
        check(&["abcdef012", "abcdef013"], "abcdef012", "abcdef012");
        check(&["abcdef012", "abcdef013"], "abcdef013", "abcdef013");
        check(&["abcdef01", "abcdef0123", "abcdef0124"], "abcdef0123", "abcdef0123");
        check(&["abcdef0123", "abcdef0124"], "abcdef01", "abcdef010");
    }

    #[test]
    fn ids_that_come_later_count_like_the_others() {
        let mut prefixes = index(&["abcdef012"]);
        prefixes.extend([id("abcdef013")]);
        prefixes.extend([id("abcdef013")]);
        prefixes.extend(["1", "ff", "1"].map(id));
        assert_eq!(prefixes, index(&["abcdef012", "abcdef013", "ff", "1"]));
    }

    #[test]
    fn ids_that_differ_in_their_last_digit_are_shown_whole() {
        let (one, other) = ("a".repeat(32), "a".repeat(31) + "b");
        assert_eq!(index(&[&one, &other]).shorten(id(&one)).to_string(), one);
    }

    #[test]
    fn a_prefix_names_one_id_several_or_none() {
        let prefixes = index(&["abc1", "abc2", "ff"]);
        assert_eq!(prefixes.find("abc1"), PrefixMatch::Unique(id("abc1")));
        assert_eq!(prefixes.find("ABC1"), PrefixMatch::Unique(id("abc1")));
        assert_eq!(prefixes.find("f"), PrefixMatch::Unique(id("ff")));
        assert_eq!(prefixes.find(&id("abc2").to_string()), PrefixMatch::Unique(id("abc2")));
        assert_eq!(prefixes.find("abc"), PrefixMatch::Ambiguous(&[id("abc1"), id("abc2")]));
        assert_eq!(prefixes.find("abd"), PrefixMatch::Unknown);
    }

    #[test]
    fn what_is_no_beginning_of_an_id_names_nothing() {
        let prefixes = index(&["abc1", "0"]);
        let too_long = "0".repeat(33);
        for wrong in ["", " abc1", "abc1 ", "xyz", "+0", "é", "0x0", &too_long] {
            assert_eq!(prefixes.find(wrong), PrefixMatch::Unknown, "{wrong:?}");
        }
    }
}
