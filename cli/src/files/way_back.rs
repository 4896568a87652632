//! The ways back from what was written, kept in the git directory of the work tree, the newest on top.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use postil_client::Checkout;
use postil_protocol::{ByteText, FileBefore, WayBack};

use super::index;
use super::landing::{Staging, back, land_orders, no_files};
use super::target::{Expected, name_of};
use crate::failure::{Failure, Kind};

/// So many are kept; the oldest goes first.
const MAX_KEPT: usize = 20;

/// How to go on where one cannot be gone.
const SKIP: &str =
    "`postil apply --undo --skip` leaves it as it is, and makes way for what was applied before";

/// Where they are kept: files whose names are numbers, the highest of which is the newest.
fn place(checkout: &Checkout) -> PathBuf {
    checkout.git_dir().join("postil").join("undo")
}

/// The ways back that there are, the newest first.
fn kept(place: &Path) -> Vec<(u64, PathBuf)> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u64>().ok();
    let mut kept: Vec<_> = entries.filter_map(|path| Some((number(&path)?, path))).collect();
    kept.sort_unstable_by(|a, b| b.cmp(a));
    kept
}

/// Keeps the way back, on disk before anything is written that it leads back from; returns where.
pub(super) fn keep(
    checkout: &Checkout,
    what: &str,
    files: Vec<FileBefore>,
    staging: Staging,
) -> Result<PathBuf, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Kind::Unavailable, "could not keep the way back, and so nothing was written")
            .because(error)
    };
    let staged = match staging {
        Staging::No => None,
        Staging::Follows => Some(index::staged(checkout, &paths(&files))?),
    };
    let way = WayBack { what: what.to_owned(), files, head: index::head(checkout), staged };
    let text = serde_json::to_vec(&way).map_err(|error| failed(error.into()))?;
    let place = place(checkout);
    fs::create_dir_all(&place).map_err(failed)?;
    let earlier = kept(&place);
    let newest = earlier.first().map_or(0, |(number, _)| *number);
    let journal = place.join((newest + 1).to_string());
    let beside = journal.with_extension("new");
    let written = fs::File::create(&beside).and_then(|mut file| {
        file.write_all(&text)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&beside, &journal)).map_err(failed)?;
    earlier.iter().skip(MAX_KEPT - 1).for_each(|(_, oldest)| drop(fs::remove_file(oldest)));
    Ok(journal)
}

/// Makes all files what they were before something was last applied, and what is staged of them where that was
/// changed too; returns what it was.
///
/// A file that somebody changed since stops everything, and so does a commit that has the files as they are.
pub fn undo(checkout: &Checkout) -> Result<WayBack, Failure> {
    let root = checkout.work_tree().ok_or_else(no_files)?;
    let hash = checkout.repository().handle().object_hash();
    let Some((_, journal)) = kept(&place(checkout)).into_iter().next() else { return Err(nothing()) };
    let way = read(&journal)?;
    let mut orders = Vec::new();
    for file in &way.files {
        let there = fs::read(root.join(Path::new(
            <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(file.path.as_bytes()),
        )));
        let there = there.ok().and_then(|bytes| name_of(hash, &bytes));
        let before = file.before.as_ref().and_then(|before| name_of(hash, before.as_bytes()));
        // What a process that died did not come to is as it was.
        if there == before && there != file.after {
            continue;
        }
        if there != file.after {
            let name = String::from_utf8_lossy(file.path.as_bytes());
            return Err(stuck(&way, format!("{name} changed since it was applied")).hint(format!(
                "nothing was changed; take your own change of it out first, or this one by hand; {SKIP}"
            )));
        }
        let expected = file.after.clone().map_or(Expected::Nothing, Expected::Is);
        let content = file.before.as_ref().map(|before| before.as_bytes().to_vec());
        orders.push(back(file.path.clone(), expected, content, file.executable));
    }
    not_committed(checkout, &way)?;
    let staged = staged_since(checkout, &way)?;
    land_orders(root, hash, orders)?;
    if let Some(staged) = staged {
        index::put_back(checkout, staged)?;
    }
    fs::remove_file(&journal).map_err(|error| {
        Failure::new(Kind::Unavailable, "the files are back, but the way back could not be removed")
            .because(error)
    })?;
    Ok(way)
}

/// Forgets the newest way back, and leaves all files as they are; returns what it led back from.
pub fn skip(checkout: &Checkout) -> Result<String, Failure> {
    let Some((_, journal)) = kept(&place(checkout)).into_iter().next() else { return Err(nothing()) };
    // One that is damaged is in the way as well.
    let what = read(&journal).map_or_else(|_| "what was last applied".to_owned(), |way| way.what);
    fs::remove_file(&journal).map_err(|error| {
        Failure::new(Kind::Unavailable, "the way back could not be removed").because(error)
    })?;
    Ok(what)
}

/// Whether `what` was applied last, and can be taken back with all its files as they were written.
pub fn is_last(checkout: &Checkout, what: &str) -> bool {
    let newest = kept(&place(checkout)).into_iter().next().and_then(|(_, journal)| read(&journal).ok());
    newest.is_some_and(|way| way.what == what && not_committed(checkout, &way).is_ok())
}

fn read(journal: &Path) -> Result<WayBack, Failure> {
    let text = match fs::read(journal) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(nothing()),
        Err(error) => {
            return Err(Failure::new(Kind::Unavailable, "could not read the way back").because(error));
        }
    };
    serde_json::from_slice(&text).map_err(|error| {
        Failure::new(Kind::Unavailable, "the way back is damaged")
            .because(error)
            .hint(format!("nothing was changed; {SKIP}"))
    })
}

fn nothing() -> Failure {
    Failure::new(Kind::NotFound, "there is nothing to take back")
        .because("all that was applied in this work tree is taken back, or it was too long ago")
        .hint("`git log` and `git revert` take back what is committed")
}

/// Files that went back would be a new change, the contrary of the one that is committed.
fn not_committed(checkout: &Checkout, way: &WayBack) -> Result<(), Failure> {
    let paths = paths(&way.files);
    if index::head(checkout) == way.head || !index::is_committed(checkout, &paths)? {
        return Ok(());
    }
    let commit = index::last_change(checkout, &paths).unwrap_or_else(|| "HEAD".to_owned());
    Err(stuck(way, format!("it is committed as {commit}"))
        .hint(format!("nothing was changed; `git revert {commit}` takes the commit back; {SKIP}")))
}

/// What was staged before, where something else is staged now and what that is, is on disk too.
fn staged_since<'a>(
    checkout: &Checkout,
    way: &'a WayBack,
) -> Result<Option<&'a [postil_protocol::StagedBefore]>, Failure> {
    let Some(before) = &way.staged else { return Ok(None) };
    let paths = paths(&way.files);
    if index::staged(checkout, &paths)? == *before {
        return Ok(None);
    }
    if !index::is_as_on_disk(checkout, &paths)? {
        return Err(stuck(way, "something else is staged of its files since").hint(format!(
            "nothing was changed; `git restore --staged` them first, or take it out by hand; {SKIP}"
        )));
    }
    Ok(Some(before))
}

fn stuck(way: &WayBack, why: impl Into<String>) -> Failure {
    Failure::new(Kind::Conflict, format!("{} was not taken back", way.what)).because(why.into())
}

fn paths(files: &[FileBefore]) -> Vec<ByteText> {
    files.iter().map(|file| file.path.clone()).collect()
}
