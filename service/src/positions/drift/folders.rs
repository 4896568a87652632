//! The folders that threads were put in, the unstable ones first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use postil_core::review::Thread;
use postil_protocol::{ByteText, DriftCounts, FolderDrift, MAX_FOLDERS};

use super::thread_drift::{ThreadDrift, count};

/// Fewer threads say nothing about a folder.
const FEW_THREADS: u32 = 3;

/// Counts threads by folder; the second value has the folders that are too many.
pub(crate) fn by_folder(threads: &[(Thread<'_>, ThreadDrift)]) -> (Vec<FolderDrift>, Option<DriftCounts>) {
    let mut found: BTreeMap<&[u8], DriftCounts> = BTreeMap::new();
    for (thread, drift) in threads {
        let Some(anchor) = thread.anchor() else { continue };
        let path = anchor.path.as_bytes();
        let folder = path.iter().rposition(|byte| *byte == b'/').map_or(&[][..], |at| &path[..at]);
        count(found.entry(folder).or_default(), *thread, *drift);
    }
    let mut folders: Vec<(&[u8], DriftCounts)> = found.into_iter().collect();
    // The sort is stable: folders that are alike stay in the order of their names.
    folders.sort_by_key(|(_, counts)| Reverse((counts.outdated + counts.lost, counts.threads)));
    let others = folders.split_off(folders.len().min(MAX_FOLDERS));
    let others = others.into_iter().map(|(_, counts)| counts).reduce(sum);
    let folder = |(path, counts): (&[u8], DriftCounts)| FolderDrift {
        path: ByteText::new(path),
        counts,
        unstable: is_unstable(counts),
    };
    (folders.into_iter().map(folder).collect(), others)
}

/// Whether at least half of enough threads lost the text that they were on.
fn is_unstable(counts: DriftCounts) -> bool {
    let on_files = counts.threads - counts.without_place;
    on_files >= FEW_THREADS && 2 * (counts.outdated + counts.lost) >= on_files
}

fn sum(one: DriftCounts, other: DriftCounts) -> DriftCounts {
    DriftCounts {
        threads: one.threads + other.threads,
        open: one.open + other.open,
        in_place: one.in_place + other.in_place,
        moved: one.moved + other.moved,
        outdated: one.outdated + other.outdated,
        lost: one.lost + other.lost,
        without_place: one.without_place + other.without_place,
        moved_by_hand: one.moved_by_hand + other.moved_by_hand,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_unstable_if_half_of_enough_threads_are_gone() {
        let counts = |threads, outdated, lost, without_place| DriftCounts {
            threads,
            outdated,
            lost,
            without_place,
            ..DriftCounts::default()
        };
        assert!(is_unstable(counts(3, 1, 1, 0)));
        assert!(is_unstable(counts(4, 2, 0, 0)));
        assert!(!is_unstable(counts(2, 2, 0, 0)), "two threads are few");
        assert!(!is_unstable(counts(5, 1, 1, 0)));
        assert!(!is_unstable(counts(4, 1, 1, 2)));
    }
}
