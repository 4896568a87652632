//! The session of one command: it shows progress, and fails with words of the command line.

use postil_client::{Checkout, Observer, RepositoryArgs, Session, SessionError, SubscribeTo, Subscription};
use postil_protocol::{List, ListReply, Method, RepositoryRequest, ServiceMethod, ThreadLine, Traits};

use super::daemon::this_program;
use super::session_errors::failed;
use crate::failure::Failure;
use crate::progress::Progress;

/// The session of one command.
#[derive(Debug)]
pub struct CommandSession(Session);

impl CommandSession {
    /// Finds the repository and the service.
    pub fn open(args: &RepositoryArgs, progress: Progress) -> Result<Self, Failure> {
        let session = Session::open(args, this_program(), Box::new(progress));
        session.map(Self).map_err(|error| failed(error, None))
    }

    /// Finds the repository, and answers everything in this process: no daemon is started for it.
    pub fn open_in_process(args: &RepositoryArgs, progress: Progress) -> Result<Self, Failure> {
        let session = Session::open_in_process(args, this_program(), Box::new(progress));
        session.map(Self).map_err(|error| failed(error, None))
    }

    /// The repository, as the person sees it.
    pub fn checkout(&self) -> &Checkout {
        self.0.checkout()
    }

    /// Asks for something that changes nothing.
    pub fn ask<P>(&mut self, params: P) -> Result<<RepositoryRequest<P> as Method>::Answer, Failure>
    where
        RepositoryRequest<P>: ServiceMethod,
    {
        let answer = self.0.ask(params);
        answer.map_err(|error| self.failed(error))
    }

    /// Asks for the lines of a list, and hands them over one by one; all the rest is returned.
    pub fn list(&mut self, list: List, each: &mut dyn FnMut(ThreadLine)) -> Result<ListReply, Failure> {
        let reply = self.0.list(list, each);
        reply.map_err(|error| self.failed(error))
    }

    /// Asks for something to be written; git must know who asks.
    pub fn write<P>(&mut self, params: P) -> Result<<RepositoryRequest<P> as Method>::Answer, Failure>
    where
        RepositoryRequest<P>: ServiceMethod,
    {
        let answer = self.0.write(params);
        answer.map_err(|error| self.failed(error))
    }

    /// Begins to receive events.
    pub fn subscribe(&self, to: SubscribeTo) -> Result<Subscription, Failure> {
        self.0.subscribe(to).map_err(|error| self.failed(error))
    }

    /// The email by which the person is known.
    pub fn email(&self) -> Option<&str> {
        self.0.email()
    }

    /// Fails if git does not know who asks; to be asked before a person types a long text.
    pub fn must_know_author(&self) -> Result<(), Failure> {
        self.0.must_know_author().map_err(|error| self.failed(error))
    }

    /// An error, in words.
    pub fn failed(&self, error: SessionError) -> Failure {
        failed(error, Some(self.checkout()))
    }
}

impl Observer for Progress {
    fn waiting(&self, method: &Traits, wait: &mut dyn FnMut()) {
        self.during(method.progress, wait);
    }
}
