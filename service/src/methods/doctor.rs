//! Looks for what is wrong with the reviews of a repository, and mends what can be mended.
//!
//! Changes nothing unless the request asks for it. The client checks the daemon itself.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use postil_core::git::{BlobId, CommitId, RefName, history, tree};
use postil_core::notes::{Home, KEPT_SECONDS, Overwritten, PurgedRecord, refs};
use postil_core::record::{Body, BodyError, RecordId};
use postil_core::review::Thread;
use postil_protocol::{Advice, Doctor, DoctorReply, Fault, FindingView, Hex, Mark, Weight};

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::methods::init as setup;
use crate::notes::index::lost_in_words;
use crate::notes::kept_purged::KeptPurged;
use crate::positions::claim_report::{FalseClaims, false_claims};
use crate::request::Request;
use crate::sharing;
use crate::view::hex;
use crate::writing::records::{PendingRecords, Visibility, open_merge_warning, write_records};

/// A cache that was not used for this long is stale.
const STALE: Duration = Duration::from_hours(30 * 24);

/// So many purged records are listed one by one.
const MAX_PURGED: usize = 20;

/// An examination under way.
struct Examination<'a> {
    request: &'a Request,
    actor: &'a Actor,
    fix: bool,
    findings: Vec<FindingView>,
}

/// Looks for what is wrong, and mends it if that is asked for.
pub fn doctor(request: &Request, actor: &Actor, doctor: &Doctor) -> Result<DoctorReply, Fault> {
    let Restoring { restored, already } = rewrite_purged(request, actor, &doctor.restore)?;
    let mut examination = Examination { request, actor, fix: doctor.fix, findings: Vec::new() };
    examination.store()?;
    examination.positions();
    examination.pins()?;
    let kept = KeptPurged::read(&request.repository.store)?;
    examination.purged(&kept);
    examination.settings()?;
    examination.cache();
    if doctor.fix {
        request.repository.sweep(actor.at);
    }
    let records = request.repository.store.read().or_fault()?.records().count();
    Ok(DoctorReply {
        mark: Mark::default(),
        findings: examination.findings,
        restored,
        already_restored: already,
        purges: kept.views(|_| true),
        records: u32::try_from(records).unwrap_or(u32::MAX),
        warnings: Vec::new(),
    })
}

/// What was asked to be restored: the records that are written again, and those that were before.
#[derive(Default)]
struct Restoring {
    restored: Vec<Hex>,
    already: Vec<Hex>,
}

/// Writes again what purges removed: a record, with all that was said about it.
fn rewrite_purged(request: &Request, actor: &Actor, names: &[String]) -> Result<Restoring, Fault> {
    if names.is_empty() {
        return Ok(Restoring::default());
    }
    let kept = KeptPurged::read(&request.repository.store)?;
    let wanted = names.iter().map(|name| kept.named(name)).collect::<Result<BTreeSet<RecordId>, Fault>>()?;
    let made = kept.restoring(&wanted);
    let done = Restoring {
        restored: made.iter().map(|new| hex(new.record.id())).collect(),
        already: wanted.iter().filter_map(|id| kept.restored.get(id)).map(|id| hex(*id)).collect(),
    };
    if !made.is_empty() {
        let records = made.into_iter().map(|new| (Home::On(new.object), new.record.clone())).collect();
        let pending = PendingRecords { records, ..PendingRecords::default() };
        write_records(request, actor, pending, Visibility::Shared, "Restore purged comments")?;
    }
    Ok(done)
}

/// How another tool changed the notes, in words.
pub(crate) fn overwritten(what: Overwritten) -> String {
    match what {
        Overwritten::Gone => format!("{} was deleted", refs::NOTES),
        Overwritten::Replaced => format!("{} was overwritten", refs::NOTES),
    }
}

/// So many of something, in words.
fn count(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

impl Examination<'_> {
    fn report(&mut self, area: &str, weight: Weight, what: String, why: &str, advice: Advice) {
        let (area, why) = (area.to_owned(), why.to_owned());
        self.findings.push(FindingView { area, weight, what, why, advice });
    }

    /// Whether the notes hold what they held, and can be read.
    fn store(&mut self) -> Result<(), Fault> {
        let (request, store) = (self.request, &self.request.repository.store);
        if self.fix {
            let checked = store.check_all(&self.actor.committer()).or_fault()?;
            if checked.healed() {
                let lost = match (checked.restored, checked.records, checked.pins) {
                    (true, ..) => refs::NOTES.to_owned(),
                    (false, 0, pins) => count(pins, "pin"),
                    (false, records, _) => count(records, "record"),
                };
                let (what, why) =
                    (format!("{lost} had been removed"), "another tool removed it; it was restored");
                self.report("store", Weight::Fixed, what, why, Advice::Nothing);
            }
        } else if let Some(what) = store.overwritten().or_fault()? {
            let lost = overwritten(what);
            let why = "the old content is still in the history of the notes";
            self.report("store", Weight::Problem, lost, why, Advice::MendNotes);
        }
        if let Some(warning) = open_merge_warning(request) {
            let why = "nothing is shared until it ends; new comments are kept as drafts";
            self.report("store", Weight::Problem, warning.what, why, Advice::FinishNotesMerge);
        }
        self.lost_tips()?;
        if store.is_cut_off().or_fault()? {
            let what = format!("the history of {} is incomplete, because of a shallow fetch", refs::NOTES);
            let why = "comments removed before that cannot be restored here";
            self.report("store", Weight::Problem, what, why, Advice::SyncHistory);
        } else if let Some(tip) = store.tip_to_read().or_fault()? {
            let missing = history::between(&store.repository().handle(), None, tip).or_fault()?.missing;
            if self.fix && !missing.is_empty() {
                let skipped = store.skip_missing_history(&self.actor.committer()).or_fault()?;
                // All that it held is here.
                store.acknowledge_lost_tips(&self.actor.committer()).or_fault()?;
                let what = format!("the history of {} was missing {}", refs::NOTES, count(skipped, "commit"));
                let why = "no comment is lost; the history was made anew without it";
                self.report("store", Weight::Fixed, what, why, Advice::Nothing);
            } else if let [first, ..] = missing.as_slice() {
                let missing = count(missing.len(), "commit");
                let what = format!("the history of {} is missing {missing}, such as {first}", refs::NOTES);
                let why = "all comments can be read, but `git gc` and pushes fail";
                self.report("store", Weight::Problem, what, why, Advice::FetchNotesFromClone);
            }
        }
        let refused = store.tip().or_fault()?.map(|tip| store.refused_in(tip)).transpose().or_fault()?;
        if let Some([first, ..]) = refused.as_deref() {
            let first = first.to_string();
            let what = format!("entries of {} that git refuses, such as {first:?}", refs::NOTES);
            let why = "remotes that check objects refuse a push with them";
            self.report("store", Weight::Problem, what, why, Advice::CleanNotes);
        }
        if let [first, ..] = store.refused_entries().or_fault()?.as_slice() {
            let first = first.to_string();
            let what = format!("entries were left out of {}, such as {first:?}", refs::NOTES);
            let why = format!("git refuses them; they are kept in {}", refs::REFUSED);
            self.report("store", Weight::Note, what, &why, Advice::Nothing);
        }
        for damage in &request.notes.damage {
            let why = "everything else can be read, and nothing is deleted";
            self.report("store", Weight::Problem, damage.clone(), why, Advice::SyncMissing);
        }
        self.records()
    }

    /// Which newest commits of the notes could not be read, and whether they can be by now.
    fn lost_tips(&mut self) -> Result<(), Fault> {
        let (store, by) = (&self.request.repository.store, self.actor.committer());
        if self.fix {
            let back = store.recover_lost_tips(&by).or_fault()?;
            if back > 0 {
                let what = format!("{} of the notes could not be read before", count(back, "commit"));
                self.report("store", Weight::Fixed, what, "it is merged now", Advice::Nothing);
            }
        }
        for lost in store.lost_tips() {
            // Nothing more can be done here, and somebody knows.
            let weight = if lost.is_acknowledged { Weight::Note } else { Weight::Problem };
            let what = format!("the notes had {}", lost_in_words(&lost));
            let why = "what it added could not be restored; all older comments are there";
            self.report("store", weight, what, why, Advice::SyncMissing);
        }
        if let Some(tip) = store.notes_to_read().or_fault()?.unreadable {
            let what = format!("the newest commit of {} cannot be read: {tip}", refs::NOTES);
            let why = "older comments are shown, and its id is kept";
            self.report("store", Weight::Problem, what, why, Advice::MendNotes);
        }
        if self.fix {
            store.acknowledge_lost_tips(&by).or_fault()?;
        }
        Ok(())
    }

    /// Checks whether the content of the notes can be read.
    fn records(&mut self) -> Result<(), Fault> {
        let snapshot = self.request.repository.store.read().or_fault()?;
        let (mut broken, mut later) = (BTreeSet::new(), BTreeSet::new());
        let mut words = BTreeSet::new();
        for (object, record) in snapshot.records() {
            match record.body() {
                Ok(Body::Text(_) | Body::Leftover(_)) => drop(words.insert(object)),
                Ok(_) => {}
                Err(BodyError::UnknownKind { .. } | BodyError::UnknownVersion { .. }) => {
                    later.insert(record.id());
                }
                Err(_) => drop(broken.insert(record.id())),
            }
        }
        if let Some(first) = broken.first() {
            let what = format!("{} could not be read, such as {first}", count(broken.len(), "record"));
            let why = "it does not follow the format; it is kept unchanged";
            self.report("store", Weight::Problem, what, why, Advice::AskAuthor);
        }
        if let Some(object) = words.first() {
            let what = format!("{} with text that postil did not write", count(words.len(), "note"));
            let why = "another tool wrote it; it is kept next to the records";
            let advice = Advice::ShowForeignWords { object: Hex::of(object.raw().as_bytes()) };
            self.report("store", Weight::Note, what, why, advice);
        }
        if !later.is_empty() {
            let what = format!("{} of a newer version of postil", count(later.len(), "record"));
            let why = "it is kept, but not shown";
            self.report("store", Weight::Note, what, why, Advice::UseNewerVersion);
        }
        Ok(())
    }

    /// Whether positions that came with the notes can be true; they are ignored if not.
    fn positions(&mut self) {
        let found = false_claims(self.request, self.actor.at);
        let mut report = |claims: FalseClaims, one: &str, said: &str, why: &str, advice| {
            if let Some(example) = claims.example {
                let what = format!("{} {said}, such as {example}", count(claims.count, one));
                self.report("positions", Weight::Note, what, why, advice);
            }
        };
        let why = "they are kept, but not used: positions are computed here";
        report(found.later_engine, "position", "of an unknown version", why, Advice::UseNewerVersion);
        let why = "somebody wrote them by hand, or they are damaged; they are not used";
        report(found.place, "position", "outside of their files", why, Advice::Nothing);
        let why = "they can displace other positions, which are then computed again";
        report(found.time, "commit", "with positions and a wrong time", why, Advice::Nothing);
    }

    /// Whether the files that comments were made on are still here.
    fn pins(&mut self) -> Result<(), Fault> {
        let request = self.request;
        let repo = request.repository.store.repository();
        let handle = repo.handle();
        let missing = |thread: &Thread<'_>| {
            let blob = thread.anchor().and_then(|anchor| anchor.blob);
            blob.is_some_and(|blob: BlobId| !handle.has_object(blob.raw()))
        };
        let bare = request.notes.threads.iter().filter(missing).count();
        if bare > 0 {
            let what = format!("the commented files of {} are missing", count(bare, "thread"));
            let why = "their positions are found by the stored lines only, which is less certain";
            self.report("pins", Weight::Problem, what, why, Advice::SyncFiles);
        }
        if self.fix {
            let promoted = request.repository.store.promote_pins(&self.actor.committer()).or_fault()?;
            if promoted > 0 {
                let what = format!("now shared: {}", count(promoted, "commented file"));
                self.report("pins", Weight::Fixed, what, "their commits have been pushed", Advice::Nothing);
            }
        }
        let name = RefName::new(refs::LOCAL_PINS).expect("the name of a ref");
        if let Some(tip) = repo.read_ref(&name).or_fault()? {
            let files = history::commit(&handle, CommitId::from(tip.raw())).or_fault()?.tree;
            let waiting = tree::list(&handle, files).or_fault()?.entries.len();
            let what = format!("not shared: {}", count(waiting, "commented file"));
            let why = "they have not been pushed, and postil shares only files that have been pushed";
            self.report("pins", Weight::Note, what, why, Advice::PushThenShareFiles);
        }
        Ok(())
    }

    /// What purges removed and was not restored.
    fn purged(&mut self, kept: &KeptPurged) {
        let now = i64::try_from(self.actor.at.0 / 1000).unwrap_or(i64::MAX);
        let open: Vec<&PurgedRecord> = kept.to_restore().collect();
        for one in open.iter().take(MAX_PURGED) {
            let days = (KEPT_SECONDS - now.saturating_sub(one.since)).max(0) / 86_400;
            let why = format!("it is kept here for {days} more days, with the replies to it");
            let advice = Advice::RestorePurged { records: vec![hex(one.record.id())] };
            self.report("purged", Weight::Note, kept.story(&one.record), &why, advice);
        }
        if open.len() > MAX_PURGED {
            let what = format!("also purged: {}", count(open.len() - MAX_PURGED, "record"));
            self.report("purged", Weight::Note, what, "they are kept for 90 days", Advice::RestoreSome);
        }
    }

    /// Checks whether git merges the notes correctly, and does not push or fetch what is private.
    fn settings(&mut self) -> Result<(), Fault> {
        let repo = self.request.work_tree.repository().reopen().or_fault()?;
        if let Some(found) = setup::merging(&repo) {
            let what = format!("{} is {found}", setup::MERGE_STRATEGY.0);
            if self.fix {
                setup::set_merging(&repo)?;
                self.report("settings", Weight::Fixed, what, "it is `union` now", Advice::Nothing);
            } else {
                let why = "`git notes merge` would fail or delete comments";
                self.report("settings", Weight::Problem, what, why, Advice::SetMergeStrategy);
            }
        }
        for warning in sharing::pushing_all(&repo) {
            let why = "others could read drafts before they are published";
            self.report("settings", Weight::Problem, warning.what, why, Advice::PushByName);
        }
        for spec in setup::overwriting(&repo) {
            let what = format!("`git fetch` overwrites {}: {spec}", refs::NOTES);
            let why = "comments that are not shared yet would be missing until postil restores them";
            self.report("settings", Weight::Problem, what, why, Advice::RemoveRefspec);
        }
        for remote in sharing::unspared(&repo) {
            let what = format!("`git fetch --prune` from {remote} deletes all refs under refs/postil/");
            if self.fix {
                let why = format!("{} is set now", setup::spare(&repo, &remote)?);
                self.report("settings", Weight::Fixed, what, &why, Advice::Nothing);
            } else {
                let why = "postil restores them only until `git gc` deletes the objects";
                self.report("settings", Weight::Problem, what, why, Advice::SpareLocalRefs);
            }
        }
        for (what, advice) in setup::misunderstood(&repo) {
            let why = "the value is invalid and is ignored";
            self.report("settings", Weight::Problem, what, why, advice);
        }
        Ok(())
    }

    /// Checks for caches that are no longer used.
    fn cache(&mut self) {
        let folder = self.request.repository.store.repository().common_dir().join("postil").join("cache");
        let files: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().collect();
        let now = UNIX_EPOCH + Duration::from_millis(self.request.now.0);
        let age = |file: &fs::DirEntry| {
            let changed = file.metadata().and_then(|found| found.modified()).ok()?;
            now.duration_since(changed).ok()
        };
        let stale: Vec<_> = files.iter().filter(|file| age(file).is_some_and(|age| age > STALE)).collect();
        if stale.is_empty() {
            return;
        }
        let what = format!("not used for a month: {} in {}", count(stale.len(), "file"), folder.display());
        // A cache is rebuilt when it is needed.
        if self.fix && stale.iter().all(|file| fs::remove_file(file.path()).is_ok()) {
            self.report("cache", Weight::Fixed, what, "they were deleted", Advice::Nothing);
        } else {
            self.report("cache", Weight::Note, what, "they only take up space", Advice::DeleteCaches);
        }
    }
}
