//! Judges many signatures at once, within a time that a person waits for a list.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, UNIX_EPOCH};

use postil_core::record::{RecordId, SignatureFormat};

use super::check_environment::{CheckEnvironment, NoAnswer};
use super::claim::{Claim, Finding};
use super::finding_cache::{FindingCache, FindingKey};
use super::settings::Settings;
use super::temporary_files::Scratch;
use super::{openpgp, ssh};

/// Time limit for all programs of one request; the remaining signatures are reported as not checked, and checked the next time.
const PATIENCE: Duration = Duration::from_secs(2);

/// After a program did not answer in time, it is not asked again for so long: not every list must wait for it.
const REST: Duration = Duration::from_mins(1);

/// A longer signature is bad.
pub const MAX_SIGNATURE_BYTES: usize = 64 << 10;

/// At most this many signatures of a record are checked, the first ones. A signature that was checked before
/// counts at any place.
///
/// Anyone can add signatures to a record, and each check starts a program.
pub const MAX_JUDGED: usize = 256;

/// More programs than this at once do not make it faster.
const MAX_WORKERS: usize = 8;

/// Judges the signatures of one repository.
#[derive(Debug)]
pub struct Checker {
    folder: PathBuf,
    threads: NonZeroUsize,
    memory: Mutex<Option<FindingCache>>,
    resting: Mutex<Option<Instant>>,
}

impl Checker {
    /// Judges for the repository with this common directory, with so many programs at once.
    pub fn new(common_dir: &Path, threads: NonZeroUsize) -> Self {
        let folder = common_dir.join("postil");
        Self { folder, threads, memory: Mutex::default(), resting: Mutex::default() }
    }

    /// What is known, or can be found out in time, about each claim; in their order.
    pub fn check(&self, claims: &[Claim], settings: &Settings) -> Vec<Finding> {
        let (keys, mut findings) = self.recall(claims, settings);
        let open = open(claims, &findings);
        for (at, finding) in self.judge_and_keep(claims, &keys, &open, settings) {
            findings[at] = Some(finding);
        }
        findings.into_iter().map(|finding| finding.unwrap_or(Finding::Unchecked)).collect()
    }

    /// Checks at most this many claims that have not been checked yet, so that a later request need not wait
    /// for them.
    ///
    /// Returns how many are left; as many as before where the programs do not answer.
    pub fn check_ahead(&self, claims: &[Claim], settings: &Settings, most: usize) -> usize {
        let (keys, findings) = self.recall(claims, settings);
        let open = open(claims, &findings);
        let now = &open[..most.min(open.len())];
        let judged = self.judge_and_keep(claims, &keys, now, settings);
        let found = judged.values().filter(|finding| !matches!(finding, Finding::Unchecked)).count();
        open.len() - found
    }

    /// What is known already about each claim, and under which key.
    fn recall(&self, claims: &[Claim], settings: &Settings) -> (Vec<FindingKey>, Vec<Option<Finding>>) {
        if claims.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let bases = [settings.ssh_basis(), settings.openpgp_basis()];
        let keys: Vec<FindingKey> = claims.iter().map(|claim| key(claim, &bases)).collect();
        let mut held = self.memory();
        let memory = held.get_or_insert_with(|| FindingCache::open(&self.folder.join("cache")));
        let findings = keys.iter().map(|key| memory.get(key).cloned()).collect();
        (keys, findings)
    }

    /// Finds out about the claims at these places, as far as there is time, and remembers it.
    fn judge_and_keep(
        &self,
        claims: &[Claim],
        keys: &[FindingKey],
        open: &[usize],
        settings: &Settings,
    ) -> HashMap<usize, Finding> {
        if open.is_empty() || self.is_resting() {
            return HashMap::new();
        }
        let found = self.find_out(claims, open, settings);
        let mut held = self.memory();
        let told = found.into_iter().map(|(at, finding)| {
            let finding = match finding {
                Ok(finding) => {
                    if let Some(memory) = held.as_mut() {
                        memory.keep(keys[at], finding.clone());
                    }
                    finding
                }
                Err(NoAnswer::Late) => Finding::Unchecked,
                Err(NoAnswer::Unable(why)) => Finding::unknown(why, None),
            };
            (at, finding)
        });
        let told = told.collect();
        if let Some(memory) = held.as_mut() {
            memory.flush();
        }
        told
    }

    /// Asks the programs, several at once, until all is done or the time is over.
    fn find_out(
        &self,
        claims: &[Claim],
        open: &[usize],
        settings: &Settings,
    ) -> HashMap<usize, Result<Finding, NoAnswer>> {
        let errand = CheckEnvironment {
            scratch: self.folder.join("checking"),
            folder: settings.folder.clone(),
            deadline: Instant::now() + PATIENCE,
        };
        Scratch::sweep(&errand.scratch, UNIX_EPOCH + Duration::from_millis(settings.now.0));
        let next = AtomicUsize::new(0);
        let (found, settled) = (Mutex::new(HashMap::new()), Mutex::new(HashSet::new()));
        let work = || {
            while let Some(at) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                let claim = &claims[*at];
                if lock(&settled).contains(&claim.of) {
                    continue;
                }
                let finding = judge(claim, settings, &errand);
                let is_late = matches!(finding, Err(NoAnswer::Late));
                if finding.as_ref().is_ok_and(Finding::is_final) {
                    lock(&settled).insert(claim.of);
                }
                lock(&found).insert(*at, finding);
                if is_late {
                    break;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.get().min(MAX_WORKERS).min(open.len()) {
                scope.spawn(work);
            }
            work();
        });
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        if found.values().all(|finding| matches!(finding, Err(NoAnswer::Late))) {
            tracing::warn!("the signature check timed out");
            *lock(&self.resting) = Some(Instant::now() + REST);
        }
        found
    }

    fn is_resting(&self) -> bool {
        lock(&self.resting).is_some_and(|until| Instant::now() < until)
    }

    fn memory(&self) -> MutexGuard<'_, Option<FindingCache>> {
        lock(&self.memory)
    }
}

/// The claims that are worth finding out about: the first of every record, then the second of every record, and so on.
///
/// Anyone can add signatures to a record, and those of one record must not delay the others. If the author's
/// own signature is valid, the remaining ones of that record need no check.
fn open(claims: &[Claim], findings: &[Option<Finding>]) -> Vec<usize> {
    let is_final = |finding: &Option<Finding>| finding.as_ref().is_some_and(Finding::is_final);
    let settled: HashSet<RecordId> = claims
        .iter()
        .zip(findings)
        .filter(|(_, finding)| is_final(finding))
        .map(|(claim, _)| claim.of)
        .collect();
    let mut turns: HashMap<RecordId, usize> = HashMap::new();
    let mut open = Vec::new();
    for (at, claim) in claims.iter().enumerate() {
        let turn = turns.entry(claim.of).or_default();
        if findings[at].is_none() && *turn < MAX_JUDGED && !settled.contains(&claim.of) {
            open.push((*turn, at));
        }
        *turn += 1;
    }
    open.sort_unstable();
    open.into_iter().map(|(_, at)| at).collect()
}

fn judge(claim: &Claim, settings: &Settings, errand: &CheckEnvironment) -> Result<Finding, NoAnswer> {
    if claim.signature.len() > MAX_SIGNATURE_BYTES {
        return Ok(Finding::bad("the signature is too long"));
    }
    match &claim.format {
        SignatureFormat::Ssh => ssh::check(claim, settings, errand),
        SignatureFormat::OpenPgp => openpgp::check(claim, settings, errand),
        SignatureFormat::Other(_) => Ok(Finding::unknown("unknown signature format", None)),
    }
}

/// Identifies a claim and everything that its check depends on.
fn key(claim: &Claim, [ssh, openpgp]: &[[u8; 32]; 2]) -> FindingKey {
    let mut hasher = blake3::Hasher::new();
    let (letter, basis) = match &claim.format {
        SignatureFormat::Ssh => (b's', Some(ssh)),
        SignatureFormat::OpenPgp => (b'o', Some(openpgp)),
        SignatureFormat::Other(_) => (b'?', None),
    };
    hasher.update(&[1, letter]).update(basis.unwrap_or(&[0; 32])).update(&claim.hash);
    hasher.update(&claim.at.0.to_be_bytes());
    hasher.update(blake3::hash(claim.author.as_bytes()).as_bytes());
    hasher.update(&claim.signature);
    hasher.finalize().into()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // After a panic in another thread, the findings are still whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
