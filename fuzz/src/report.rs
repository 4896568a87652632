//! What must hold of every file of another tool that is read, whatever its bytes are.

use std::collections::BTreeMap;

use postil_protocol::ImportedFix;
use postil_service::formats::{self, Report, appraise, is_trackable};

/// How one format is read.
type ReadReport<'a> = &'a dyn Fn(&[u8]) -> Option<Report>;

/// Reads bytes as a report of every format.
///
/// Panics where something would lead out of the repository, has no name, or is not the same twice.
pub fn report(data: &[u8]) {
    let root = Some(b"/home/ann/parser".as_slice());
    let read: [ReadReport<'_>; 6] = [
        &|data| formats::sarif(data, root).ok(),
        &|data| formats::rdjson(data, root).ok(),
        &|data| formats::rdjsonl(data, root).ok(),
        &|data| formats::threads(data).ok(),
        &|data| formats::comments(data, None).ok(),
        &|data| {
            let split = data.iter().position(|byte| *byte == 0).unwrap_or(0);
            let (requests, discussion) = (data[..split].to_vec(), data[split..].to_vec());
            let notes = appraise::Notes { requests, discussion };
            Some(appraise::read(&BTreeMap::from([("0123456789".repeat(4), notes)])))
        },
    ];
    for read in read {
        let report = read(data);
        assert_eq!(report, read(data), "the same bytes say the same");
        report.iter().for_each(check);
    }
}

fn check(report: &Report) {
    for comment in &report.comments {
        let revs = comment.place.iter().chain(&comment.anchored).filter_map(|place| place.rev.as_deref());
        let patched = match &comment.fix {
            Some(ImportedFix::Patch { rev, .. }) => rev.as_deref(),
            _ => None,
        };
        for rev in revs.chain(patched) {
            assert!(rev.bytes().all(|digit| digit.is_ascii_hexdigit()), "{rev} could mean anything to git");
        }
        for place in comment.place.iter().chain(&comment.anchored) {
            inside(place.path.as_bytes());
            if let Some(span) = place.span {
                assert!(0 < span.start && span.start <= span.end, "{span:?}");
            }
        }
        if let Some(ImportedFix::Files(files)) = &comment.fix {
            for file in files {
                inside(file.path.as_bytes());
            }
        }
        assert!(!comment.id.is_empty() && !comment.source.is_empty() && !comment.author.name.is_empty());
    }
}

fn inside(path: &[u8]) {
    assert!(is_trackable(path), "{path:?} leads out of the repository");
}
