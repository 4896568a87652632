//! Records that are signed before they are written, where the process can ask the person who does so.
//!
//! The daemon has no signer: a client that signs runs the service itself.

use std::collections::BTreeSet;
use std::fmt;

use postil_core::notes::{Draft, DraftsOf, Home};
use postil_core::record::{Body, Record, RecordId, SignatureFormat, SignatureRecord};
use postil_core::review::Threads;
use postil_protocol::{Fault, FaultCode};

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::request::Request;
use crate::writing::records::PendingRecords;

/// The kind of record that vouches for another.
const KIND: &str = "signature";

/// Signs in the name of the person who asks.
pub trait Signer: fmt::Debug + Send + Sync {
    /// A signature of each hash, in their order.
    fn sign(&self, hashes: &[[u8; 32]]) -> Result<Vec<Signed>, NotSigned>;
}

/// A signature that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// How.
    pub format: SignatureFormat,
    /// As the signing program wrote it.
    pub signature: Vec<u8>,
}

/// Why nothing was signed; nothing is written then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotSigned(pub String);

/// The same words with signatures, where this process signs.
pub(crate) fn with_signatures_of(request: &Request, said: PendingRecords) -> Result<PendingRecords, Fault> {
    let records: Vec<&Record> = said.records.iter().map(|(_, record)| record).collect();
    let signatures = signatures_of(request, &records)?;
    let homes = said.records.iter().map(|(home, _)| *home);
    // What is kept belongs to the comment, which comes last.
    let mut records: Vec<(Home, Record)> = homes.zip(signatures).collect();
    records.extend(said.records);
    Ok(PendingRecords { records, ..said })
}

/// A signature of each of these records; none if this process does not sign.
pub(crate) fn signatures_of(request: &Request, records: &[&Record]) -> Result<Vec<Record>, Fault> {
    let Some(signer) = request.repository.signer.as_deref().filter(|_| !records.is_empty()) else {
        return Ok(Vec::new());
    };
    let failed = |error: &NotSigned| {
        Fault::new(FaultCode::NotSigned, "could not sign; nothing was saved").because(error)
    };
    let hashes: Vec<[u8; 32]> = records.iter().map(|record| record.full_hash()).collect();
    let made = signer.sign(&hashes).map_err(|error| failed(&error))?;
    if made.len() != records.len() {
        return Err(failed(&NotSigned("the signing program did not sign everything".to_owned())));
    }
    let bodies = records.iter().zip(made).map(|(record, Signed { format, signature })| {
        Record::new(&Body::Signature(SignatureRecord { of: record.id(), format, signature })).or_fault()
    });
    bodies.collect()
}

/// Signs the drafts that are about to be published, as far as they are this person's and not signed yet.
pub(crate) fn sign_drafts(request: &Request, actor: &Actor, which: DraftsOf<'_>) -> Result<(), Fault> {
    if request.repository.signer.is_none() {
        return Ok(());
    }
    let drafts = request.repository.store.drafts().or_fault()?;
    let is_own = |draft: &&Draft| {
        let body = draft.record.body();
        let Ok(body) = &body else { return false };
        // Who publishes what their agent drafted vouches for it.
        let person = body.via().and_then(|via| via.person.as_ref());
        let authors = body.made_by().map(|(author, _)| author).into_iter().chain(person);
        authors.into_iter().any(|author| author.email == actor.author.email)
    };
    let unsigned: Vec<&Draft> = drafts
        .iter()
        .filter(|draft| which.includes(draft))
        .filter(is_own)
        .filter(|draft| request.notes.threads.signatures_of(draft.record.id()).is_empty())
        .collect();
    let records: Vec<&Record> = unsigned.iter().map(|draft| &draft.record).collect();
    let signatures = signatures_of(request, &records)?;
    let signed: Vec<Draft> = unsigned
        .iter()
        .zip(signatures)
        .map(|(draft, record)| Draft { review: draft.review, home: draft.home, record, pins: Vec::new() })
        .collect();
    if signed.is_empty() {
        return Ok(());
    }
    request.repository.store.add_drafts(&signed, &actor.committer()).or_fault()
}

/// Whether a record only vouches for another.
pub(crate) fn is_signature(record: &Record) -> bool {
    record.kind() == KIND
}

/// These records with all that vouches for them.
pub(crate) fn with_signatures(
    threads: &Threads,
    ids: impl IntoIterator<Item = RecordId>,
) -> BTreeSet<RecordId> {
    let mut all: BTreeSet<RecordId> = ids.into_iter().collect();
    let signatures: Vec<RecordId> =
        all.iter().flat_map(|id| threads.signatures_of(*id)).map(|signature| signature.id).collect();
    all.extend(signatures);
    all
}
