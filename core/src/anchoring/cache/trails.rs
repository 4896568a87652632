//! How far places were followed, as bytes, and what that is known by: the place, both commits and the engine's version.
//!
//! ```text
//! key:   "t", the place's blob, 16 bytes of BLAKE3 over version, commits and place
//! value: outcome u8, steps u32, files u32, commits u32, score f64, came u8, region, blob, tree, path
//! ```

use crate::git::{BlobId, CommitId, RepoPath, TreeId};

use super::positions::HASH_BYTES;
use super::reader::ByteReader;
use crate::anchoring::history::follow::{ArrivalKind, FileRegion, FollowCost, FollowOutcome};
use crate::anchoring::history::trail::Trail;
use crate::anchoring::lines::region::{Bytes, LineRegion};
use crate::anchoring::locate::ENGINE_VERSION;

/// What a trail is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct TrailKey(pub(super) Vec<u8>);

impl TrailKey {
    /// The key of a place that was followed from one commit to another.
    pub fn new(from: CommitId, to: CommitId, start: &FileRegion) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut part = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        };
        part(&ENGINE_VERSION.to_le_bytes());
        part(from.as_bytes());
        part(to.as_bytes());
        part(start.path.as_bytes());
        let mut region = Vec::new();
        push_region(&mut region, &start.region);
        part(&region);
        let hash = hasher.finalize();
        Self([b"t", start.blob.as_bytes(), &hash.as_bytes()[..HASH_BYTES]].concat())
    }
}

const CAME: [ArrivalKind; 5] =
    [ArrivalKind::Kept, ArrivalKind::InPlace, ArrivalKind::Moved, ArrivalKind::Across, ArrivalKind::Twin];

/// Writes a trail; `None` for one that has no place here.
pub(super) fn encode(trail: &Trail) -> Option<Vec<u8>> {
    let (outcome, place, tree) = match &trail.followed {
        FollowOutcome::Arrived(place) => (0, place, &[][..]),
        FollowOutcome::Lost(place, tree) => (1, place, tree.as_bytes()),
    };
    let mut bytes = vec![outcome];
    for count in [trail.pace.steps, trail.pace.files, trail.commits] {
        bytes.extend(u32::try_from(count).ok()?.to_le_bytes());
    }
    bytes.extend(place.score.to_le_bytes());
    bytes.push(CAME.iter().position(|came| *came == place.came)? as u8);
    push_region(&mut bytes, &place.region);
    for part in [place.blob.as_bytes(), tree, place.path.as_bytes()] {
        bytes.extend(u32::try_from(part.len()).ok()?.to_le_bytes());
        bytes.extend_from_slice(part);
    }
    Some(bytes)
}

/// Reads what [`encode`] wrote; `None` for anything else.
pub(super) fn decode(bytes: &[u8]) -> Option<Trail> {
    let mut bytes = ByteReader(bytes);
    let outcome = bytes.take(1)?[0];
    let mut count = || Some(bytes.number()? as usize);
    let (steps, files, commits) = (count()?, count()?, count()?);
    let score = f64::from_le_bytes(bytes.take(8)?.try_into().ok()?);
    let came = *CAME.get(usize::from(bytes.take(1)?[0]))?;
    let columns = bytes.take(1)?[0] == 1;
    let (first, last) = (bytes.number()?, bytes.number()?);
    let (start, end) = (bytes.number()?, bytes.number()?);
    let region = LineRegion { first, last, columns: columns.then_some(Bytes { start, end }) };
    let blob = BlobId::from_bytes(bytes.part()?)?;
    let tree = bytes.part()?;
    let path = RepoPath::new(bytes.part()?.to_vec())?;
    let place = FileRegion { path, blob, region, score, came };
    let followed = match outcome {
        0 => FollowOutcome::Arrived(place),
        1 => FollowOutcome::Lost(place, TreeId::from_bytes(tree)?),
        _ => return None,
    };
    bytes.0.is_empty().then_some(Trail { followed, pace: FollowCost { steps, files }, commits })
}

fn push_region(bytes: &mut Vec<u8>, region: &LineRegion) {
    bytes.push(u8::from(region.columns.is_some()));
    let (start, end) = region.columns.map_or((0, 0), |columns| (columns.start, columns.end));
    for number in [region.first, region.last, start, end] {
        bytes.extend(number.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_is_read_back_and_no_part_of_one_is() {
        let place = |columns| FileRegion {
            path: RepoPath::new("src/a.rs").unwrap(),
            blob: BlobId::from_bytes(&[7; 20]).unwrap(),
            region: LineRegion { first: 3, last: 9, columns },
            score: 0.731,
            came: ArrivalKind::Moved,
        };
        let tree = TreeId::from_bytes(&[9; 20]).unwrap();
        for followed in [
            FollowOutcome::Arrived(place(None)),
            FollowOutcome::Arrived(place(Some(Bytes { start: 2, end: 5 }))),
            FollowOutcome::Lost(place(None), tree),
        ] {
            let trail = Trail { followed, pace: FollowCost { steps: 12, files: 2 }, commits: 900 };
            let bytes = encode(&trail).unwrap();
            assert_eq!(decode(&bytes), Some(trail));
            for cut in 0..bytes.len() {
                assert_eq!(decode(&bytes[..cut]), None);
            }
        }
    }
}
