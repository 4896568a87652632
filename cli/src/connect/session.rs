//! One command's talk with the service.

use std::mem::ManuallyDrop;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use postil_core::anchoring::Stop;
use postil_core::git::{Patience, Settings};
use postil_core::record::Timestamp;
use postil_protocol::{
    Asked, Client, ClientError, Fault, FaultCode, FrameError, In, List, ListReply, Method, RepositoryName,
    ThreadLine,
};
use postil_service::{Service, ServiceOptions};

use super::daemon::{Knock, Missing, Wanted};
use super::folder::{Folder, Whereabouts};
use super::identity::{self, Identity};
use crate::failure::{Failure, Kind};
use crate::progress::Progress;
use crate::signing::GitSigner;

/// How long to wait for other writers.
const PATIENCE: Duration = Duration::from_secs(10);

/// More threads than this do not make one answer faster.
const MAX_THREADS: usize = 8;

/// A repository, a person, and the service.
#[derive(Debug)]
pub struct Session {
    /// The repository as the person sees it.
    pub folder: Folder,
    identity: Identity,
    name: RepositoryName,
    line: Line,
    progress: Progress,
    /// The service of somebody who signs, which runs here: the daemon can ask nobody for a passphrase.
    signing: Option<Box<Service>>,
}

/// What leads to the service.
#[derive(Debug)]
enum Line {
    /// It runs here, and is not taken apart at the end: that would take a tenth of the time of a long list.
    Here(ManuallyDrop<Box<Service>>),
    /// It runs in the daemon.
    There(Box<Client>),
}

/// Whether the service must know who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Read,
    Write,
}

impl Session {
    /// Finds the repository and the service.
    pub fn open(at: &Whereabouts, progress: Progress) -> Result<Self, Failure> {
        // The daemon answers while the repository is looked for; where none is wanted after all, it heard a hello.
        let knock = (Wanted::in_environment() != Some(Wanted::No)).then(Knock::now);
        let folder = at.find()?;
        let identity = Identity::of(&folder);
        let name = folder.name();
        let line = match (Wanted::in_folder(&folder), knock) {
            // Without a daemon everything is answered all the same, so that nobody has to know of one.
            (Wanted::Yes, Some(knock)) => knock
                .answered(Missing::Start)
                .map_or_else(|_| Line::here(), |(client, _)| Line::There(Box::new(client))),
            _ => Line::here(),
        };
        let signer = GitSigner::wanted(folder.repository(), &folder.settings(), identity.author.as_ref());
        let signing = signer.map(|signer| Box::new(Service::new(options()).signing(Arc::new(signer))));
        Ok(Self { folder, identity, name, line, progress, signing })
    }

    /// Asks something that changes nothing.
    pub fn ask<P>(&mut self, params: P) -> Result<<In<P> as Method>::Answer, Failure>
    where
        In<P>: Asked,
    {
        self.send(params, Purpose::Read, |text| serde_json::from_str(text))
    }

    /// Asks for the lines of a list, and hands them over one by one; all the rest is returned.
    pub fn list(&mut self, list: List, mut each: impl FnMut(ThreadLine)) -> Result<ListReply, Failure> {
        let mut told = 0;
        let read = |text: &str| {
            ListReply::read_lines(text, |line| {
                told += 1;
                each(line);
            })
        };
        let mut reply = self.send(list, Purpose::Read, read)?;
        // Where the service runs here they are told now; of an answer that was damaged, those behind the damage.
        for line in std::mem::take(&mut reply.lines).into_iter().skip(told) {
            each(line);
        }
        Ok(reply)
    }

    /// Asks for something to be written; git must know who asks.
    pub fn write<P>(&mut self, params: P) -> Result<<In<P> as Method>::Answer, Failure>
    where
        In<P>: Asked,
    {
        self.send(params, Purpose::Write, |text| serde_json::from_str(text))
    }

    /// The email by which the person is known.
    pub fn email(&self) -> Option<&str> {
        self.identity.author.as_ref().map(|author| author.email.as_str())
    }

    /// Fails where git does not know who asks; to be asked before a person types a long text.
    pub fn must_know_author(&self) -> Result<(), Failure> {
        self.identity.author().map(drop)
    }

    /// Asks whoever answers; `read` understands what comes from the daemon.
    fn send<P>(
        &mut self,
        params: P,
        purpose: Purpose,
        read: impl FnOnce(&str) -> Result<<In<P> as Method>::Answer, serde_json::Error>,
    ) -> Result<<In<P> as Method>::Answer, Failure>
    where
        In<P>: Asked,
    {
        let author = match purpose {
            Purpose::Read => self.identity.author.clone(),
            Purpose::Write => Some(self.identity.author()?.clone()),
        };
        let request = In {
            repository: self.name.clone(),
            author,
            utc_offset: self.identity.utc_offset,
            at: self.identity.at,
            buffers: Vec::new(),
            params,
        };
        if let Some(service) = self.signing.as_deref().filter(|_| purpose == Purpose::Write) {
            // Whoever signs may be asked for a passphrase, and a line that moves would hide the question.
            return answer_here(service, request).map_err(|fault| failed(fault, &self.folder));
        }
        let (progress, what) = (self.progress, <In<P> as Asked>::TRAITS.progress);
        if let Line::There(client) = &mut self.line {
            // What is read may be shown at once, which a line that tells of progress would disturb.
            let text = progress.during(what, |_| client.ask_text(&request));
            match text.and_then(|text| Ok(read(&text)?)) {
                Ok(answer) => return Ok(answer),
                Err(ClientError::Fault(fault)) if fault.code != FaultCode::Stopping => {
                    return Err(failed(fault, &self.folder));
                }
                Err(error) if purpose == Purpose::Write && !was_not_read(&error) => {
                    return Err(unknown(error));
                }
                Err(_) => self.line = Line::here(),
            }
        }
        let Line::Here(service) = &self.line else { unreachable!("the other line was given up above") };
        progress.during(what, |_| answer_here(service, request)).map_err(|fault| failed(fault, &self.folder))
    }
}

fn answer_here<P>(service: &Service, request: In<P>) -> Result<<In<P> as Method>::Answer, Fault>
where
    In<P>: Asked,
{
    let reply = service.answer(Timestamp(identity::now()), &request.into_call(), &Stop::default())?;
    <In<P> as Asked>::answer_in(reply)
        .ok_or_else(|| Fault::new(FaultCode::Internal, "the service answered something else"))
}

impl Line {
    fn here() -> Self {
        Self::Here(ManuallyDrop::new(Box::new(Service::new(options()))))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Self::Here(service) = self {
            service.save();
        }
    }
}

/// Whether the daemon ended before it read the request: the system says so when it drops what was sent.
fn was_not_read(error: &ClientError) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionReset};
    match error {
        ClientError::Fault(fault) => fault.code == FaultCode::Stopping,
        ClientError::Frame(FrameError::Stream(error)) => matches!(error.kind(), BrokenPipe | ConnectionReset),
        _ => false,
    }
}

fn unknown(error: ClientError) -> Failure {
    Failure::new(Kind::Unavailable, "nobody knows whether this was written")
        .because(error)
        .hint("look with `postil list` before you try again")
}

fn options() -> ServiceOptions {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_THREADS);
    ServiceOptions {
        patience: Patience::new(PATIENCE, thread::sleep),
        threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
        settings: Settings::AsGit,
    }
}

/// What the service says, as a person is told it.
fn failed(fault: Fault, folder: &Folder) -> Failure {
    let (kind, hint) = match fault.code {
        FaultCode::NotFound => (
            Kind::NotFound,
            Some(
                "`postil list --all` shows every thread with its id, `postil review list --all` every review",
            ),
        ),
        FaultCode::Ambiguous => (Kind::NotFound, Some("give more digits of the id")),
        FaultCode::NoSuchPlace => (
            Kind::NotFound,
            Some("name a file, line, branch or commit that is there; `git log` and `git branch --all` tell"),
        ),
        FaultCode::NotYours => {
            (Kind::Conflict, Some("`postil resolve` closes anybody's thread, and says who did"))
        }
        FaultCode::Conflict => (Kind::Conflict, Some("try again")),
        FaultCode::InvalidParams | FaultCode::Refused | FaultCode::TooLarge => (Kind::Usage, None),
        FaultCode::NotSigned => (
            Kind::Unavailable,
            Some("sign as git signs commits, or turn it off with `git config postil.sign false`"),
        ),
        FaultCode::WriteFailed => (
            Kind::Unavailable,
            Some("nothing was stored; make room or get the right to write there, and try again"),
        ),
        FaultCode::Damaged => (Kind::Unavailable, Some("look at the repository with `git fsck`")),
        _ => (Kind::Unavailable, None),
    };
    let mut causes = fault.data.causes.clone();
    causes.extend(fault.data.candidates.iter().map(|candidate| format!("it could be {candidate}")));
    let code = fault.data.reason.as_deref().unwrap_or(fault.code.name());
    let advice = fault.data.advice.unwrap_or_default();
    let told = |words: &str| match &advice.path {
        Some(path) => folder.told(path.as_bytes(), words),
        None => words.to_owned(),
    };
    let failure = Failure::new(kind, told(&fault.message)).because_all(causes).coded(code);
    match advice.hint.as_deref().or(hint) {
        Some(hint) => failure.hint(told(hint)),
        None => failure,
    }
}
