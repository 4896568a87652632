//! A client's conversation with the service, through the daemon or in this process.
//!
//! It may last for days. A daemon that stops is done without, and used again once it runs again; a request to read
//! never fails because of that. A request to write fails only if the daemon may have read it.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::time::Instant;

use postil_protocol::{
    Buffer, Client, ClientError, FaultCode, FrameError, List, ListReply, Method, Person, RepositoryRequest,
    RunsIn, ServiceMethod, ThreadLine, Traits, ViaView, Welcome,
};

use serde::de::DeserializeSeed;

use crate::caller::{Caller, Purpose};
use crate::checkout::Checkout;
use crate::daemon::{ClientProgram, DaemonSetting, IfNotRunning};
use crate::error::SessionError;
use crate::identity::now;
use crate::in_process::LocalService;
use crate::repository_args::RepositoryArgs;
use crate::retry::Retry;
use crate::session_start::SessionStart;
use crate::subscription::{SubscribeTo, Subscription};

/// A request is sent to so many daemons, one after the other, before it is answered in this process.
pub(crate) const DAEMONS_ASKED: usize = 2;

/// What a client does while a session waits for an answer.
pub trait Observer: Send {
    /// Calls `wait` once, which returns when `method` is answered.
    fn waiting(&self, method: &Traits, wait: &mut dyn FnMut());
}

/// A client that shows nothing.
impl Observer for () {
    fn waiting(&self, _: &Traits, wait: &mut dyn FnMut()) {
        wait();
    }
}

/// A repository, a person, and the service.
pub struct Session {
    args: RepositoryArgs,
    checkout: Checkout,
    caller: Caller,
    program: ClientProgram,
    backend: Backend,
    /// When to look for a daemon again; `None` if none is wanted.
    reconnect: Option<Retry>,
    observer: Box<dyn Observer>,
    /// Texts that are not saved, which go along with each request.
    buffers: Vec<Buffer>,
}

/// What answers.
enum Backend {
    /// The service in this process.
    InProcess(Box<LocalService>),
    /// The daemon.
    Daemon(Box<Client>),
}

impl Session {
    /// Finds the repository, and answers everything in this process, whether a daemon runs or not.
    pub fn open_in_process(
        args: &RepositoryArgs,
        program: ClientProgram,
        observer: Box<dyn Observer>,
    ) -> Result<Self, SessionError> {
        let checkout = args.find()?;
        let caller = Caller::of(&checkout, &program);
        let opening = SessionStart { checkout, caller, daemon: DaemonSetting::Off, client: None };
        Ok(Self::of(args, opening, program, observer))
    }

    /// Finds the repository and the service.
    pub fn open(
        args: &RepositoryArgs,
        program: ClientProgram,
        observer: Box<dyn Observer>,
    ) -> Result<Self, SessionError> {
        let opening = SessionStart::find(args, &program)?;
        Ok(Self::of(args, opening, program, observer))
    }

    fn of(
        args: &RepositoryArgs,
        opening: SessionStart,
        program: ClientProgram,
        observer: Box<dyn Observer>,
    ) -> Self {
        let SessionStart { checkout, caller, daemon, client } = opening;
        let reconnect = (daemon == DaemonSetting::On).then(|| Retry::of_session(client.is_some()));
        let backend = client.map_or_else(Backend::in_process, |client| Backend::Daemon(Box::new(client)));
        Self {
            args: args.clone(),
            checkout,
            caller,
            program,
            backend,
            reconnect,
            observer,
            buffers: Vec::new(),
        }
    }

    /// The repository, as the person sees it.
    pub fn checkout(&self) -> &Checkout {
        &self.checkout
    }

    /// The email by which the person is known.
    pub fn email(&self) -> Option<&str> {
        self.caller.identity.person().map(|person| person.email.as_str())
    }

    /// The name by which the person is known.
    pub fn person(&self) -> Option<&Person> {
        self.caller.identity.person()
    }

    /// The moment that it is for the person, in milliseconds since 1970.
    pub fn now(&self) -> u64 {
        self.caller.identity.at().unwrap_or_else(now)
    }

    /// The program that acts in their name, if it is not a person by hand.
    pub fn via(&self) -> Option<&ViaView> {
        self.caller.program()
    }

    /// Fails if git does not know who asks; for clients that let a person type a long text first.
    pub fn must_know_author(&self) -> Result<(), SessionError> {
        self.caller.identity.author().map(drop)
    }

    /// Lays unsaved texts over the files on disk, in place of those before: they go along with each request from now on.
    pub fn set_buffers(&mut self, buffers: Vec<Buffer>) {
        self.buffers = buffers;
    }

    /// Reads git's settings again: who asks, whether they sign, whether a daemon is wanted.
    ///
    /// Fails if the repository no longer exists, and leaves everything as it was.
    pub fn reload(&mut self) -> Result<(), SessionError> {
        self.checkout = self.args.find()?;
        self.caller = Caller::of(&self.checkout, &self.program);
        match DaemonSetting::of_checkout(&self.checkout) {
            DaemonSetting::Off => {
                self.reconnect = None;
                self.backend.leave_daemon();
            }
            DaemonSetting::On if self.reconnect.is_none() => {
                self.reconnect = Some(Retry::of_session(true));
            }
            DaemonSetting::On => {}
        }
        Ok(())
    }

    /// Asks for something that changes nothing.
    pub fn ask<P>(&mut self, params: P) -> Result<<RepositoryRequest<P> as Method>::Answer, SessionError>
    where
        RepositoryRequest<P>: ServiceMethod,
    {
        self.send(params, Purpose::Read, || PhantomData)
    }

    /// Asks for the lines of a list, and hands them over one by one; all the rest is returned.
    // What reads them is compiled in this crate, for speed; in a crate that is built to be small it takes longer.
    pub fn list(&mut self, list: List, each: &mut dyn FnMut(ThreadLine)) -> Result<ListReply, SessionError> {
        let (handed_over, each) = (&Cell::new(0), &RefCell::new(each));
        let read = || {
            let mut seen = 0;
            ListReply::line_by_line(move |line| {
                seen += 1;
                // After an answer that was cut off in the middle, another one starts from the beginning.
                if seen > handed_over.get() {
                    handed_over.set(seen);
                    each.borrow_mut()(line);
                }
            })
        };
        let mut reply = self.send(list, Purpose::Read, read)?;
        // The service in this process returns them all.
        for line in std::mem::take(&mut reply.lines).into_iter().skip(handed_over.get()) {
            each.borrow_mut()(line);
        }
        Ok(reply)
    }

    /// Asks for something to be written; git must know who asks.
    ///
    /// A person who signs does so here: in this process, by the programs that git signs with.
    pub fn write<P>(&mut self, params: P) -> Result<<RepositoryRequest<P> as Method>::Answer, SessionError>
    where
        RepositoryRequest<P>: ServiceMethod,
    {
        self.send(params, Purpose::Write, || PhantomData)
    }

    /// Begins to receive events, over a connection of their own; without a daemon, by asking now and then.
    pub fn subscribe(&self, to: SubscribeTo) -> Result<Subscription, SessionError> {
        let (repository, via) = (self.caller.repository.clone(), self.via().cloned());
        if DaemonSetting::of_checkout(&self.checkout) == DaemonSetting::Off {
            return Subscription::polling(repository, via, to);
        }
        Subscription::begin(self.program.clone(), repository, via, to)
    }

    /// Saves what the service in this process computed, which dropping the session does as well.
    pub fn save(&self) {
        if let Backend::InProcess(service) = &self.backend {
            service.save();
        }
    }

    /// Asks the daemon or the service in this process; `read` reads the answer of the daemon.
    fn send<P, S>(
        &mut self,
        params: P,
        purpose: Purpose,
        read: impl Fn() -> S,
    ) -> Result<<RepositoryRequest<P> as Method>::Answer, SessionError>
    where
        RepositoryRequest<P>: ServiceMethod,
        S: for<'de> DeserializeSeed<'de, Value = <RepositoryRequest<P> as Method>::Answer>,
    {
        let request = self.caller.request(params, &self.buffers, purpose)?;
        let method = &<RepositoryRequest<P> as ServiceMethod>::TRAITS;
        if method.runs == RunsIn::Client {
            // Git may ask the person something, and whatever the observer shows would hide the question.
            return match &self.backend {
                Backend::InProcess(service) => service.answer(request),
                Backend::Daemon(_) => LocalService::new().answer(request),
            };
        }
        if let Some(service) = self.caller.signing_for(purpose) {
            // A program may ask for a passphrase, and whatever the observer shows would hide the question.
            return service.answer(request);
        }
        self.reconnect_if_due();
        for _ in 0..DAEMONS_ASKED {
            let Backend::Daemon(client) = &mut self.backend else { break };
            let answer = client.send(&request).and_then(|pending| {
                loop {
                    observed(&*self.observer, method, || client.wait_for_line())?;
                    // What is read may be shown at once, which the observer would disturb: it has ended.
                    if let Some(answer) = client.read_answer(&pending, read())? {
                        break Ok(answer);
                    }
                }
            });
            let error = match answer {
                Ok(answer) => return Ok(answer),
                Err(ClientError::Fault(fault)) if fault.code != FaultCode::Stopping => {
                    return Err(fault.into());
                }
                Err(error) => error,
            };
            self.backend.leave_daemon();
            if purpose == Purpose::Write && !was_not_read(&error) {
                return Err(SessionError::MaybeSaved(Box::new(error)));
            }
            // One that was restarted answers at once; one that hung would only be waited for again.
            if error.is_timeout() {
                self.keep(None);
            } else {
                self.reconnect();
            }
        }
        let service = self.backend.local();
        observed(&*self.observer, method, || service.answer(request))
    }

    fn reconnect_if_due(&mut self) {
        let is_due = self.reconnect.as_ref().is_some_and(|retry| retry.is_due(Instant::now()));
        if is_due && matches!(self.backend, Backend::InProcess(_)) {
            self.reconnect();
        }
    }

    /// Uses a daemon that runs. None is started: it may have been stopped on purpose.
    fn reconnect(&mut self) {
        if self.reconnect.is_some() {
            self.keep(self.program.connect(IfNotRunning::Leave).ok());
        }
    }

    /// Uses this connection, or notes that there was none.
    fn keep(&mut self, connected: Option<(Client, Welcome)>) {
        let Some(retry) = &mut self.reconnect else { return };
        match connected {
            Some((client, _)) => {
                retry.succeeded();
                self.backend = Backend::Daemon(Box::new(client));
            }
            None => retry.failed(Instant::now()),
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("repository", &self.caller.repository).finish_non_exhaustive()
    }
}

impl Backend {
    fn in_process() -> Self {
        Self::InProcess(Box::new(LocalService::new()))
    }

    /// Answers in this process from now on.
    fn leave_daemon(&mut self) {
        if let Self::Daemon(_) = self {
            *self = Self::in_process();
        }
    }

    /// The service in this process, whether a daemon runs or not.
    fn local(&mut self) -> &LocalService {
        self.leave_daemon();
        match self {
            Self::InProcess(service) => service,
            Self::Daemon(_) => unreachable!("the daemon was left above"),
        }
    }
}

/// Does what takes long while the observer shows that it does.
fn observed<T>(observer: &dyn Observer, method: &Traits, work: impl FnOnce() -> T) -> T {
    let (mut work, mut done) = (Some(work), None);
    observer.waiting(method, &mut || done = work.take().map(|work| work()));
    done.expect("an observer calls what it is given once")
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
