//! The session of one command: it shows progress, and fails with words of the command line.

use std::io::Write as _;

use postil_client::{
    Checkout, ClientProgram, DeclaredVia, Observer, RepositoryArgs, Session, SessionError, SubscribeTo,
    Subscription,
};
use postil_protocol::{
    List, ListReply, Method, RepositoryRequest, ServiceMethod, ThreadLine, Traits, ViaView, WarningView,
};

use super::daemon::this_program;
use super::session_errors::failed;
use crate::advice;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::sanitize;

/// Who acts.
#[derive(Clone, Debug)]
pub struct Acting {
    /// As an option says; otherwise the environment counts.
    pub via: Option<DeclaredVia>,
    /// Whether to say in whose stead something is written.
    pub tells: bool,
    /// Whether to print the warnings of answers.
    pub warns: bool,
}

impl Acting {
    /// The program of a command, as it declares itself.
    pub fn program(&self) -> ClientProgram {
        match &self.via {
            Some(via) => this_program().acting_via(via.clone()),
            None => this_program(),
        }
    }
}

/// The session of one command.
#[derive(Debug)]
pub struct CommandSession {
    session: Session,
    /// Whether to say in whose stead something is written.
    tells: bool,
    /// Whether warnings are printed; for programs they are in the answer.
    warns: bool,
    /// The warnings that were printed.
    warned: Vec<WarningView>,
}

/// The methods whose commands print the warnings themselves, in the order of their output.
const PRINTED_BY_COMMAND: [&str; 4] = ["list", "status", "sync", "init"];

impl CommandSession {
    /// Finds the repository and the service.
    pub fn open(args: &RepositoryArgs, acting: &Acting, progress: Progress) -> Result<Self, Failure> {
        let session = Session::open(args, acting.program(), Box::new(progress));
        let session = session.map_err(|error| failed(error, None))?;
        Ok(Self { session, tells: acting.tells, warns: acting.warns, warned: Vec::new() })
    }

    /// Finds the repository, and answers everything in this process: no daemon is started for it.
    pub fn open_in_process(
        args: &RepositoryArgs,
        acting: &Acting,
        progress: Progress,
    ) -> Result<Self, Failure> {
        let session = Session::open_in_process(args, acting.program(), Box::new(progress));
        let session = session.map_err(|error| failed(error, None))?;
        Ok(Self { session, tells: acting.tells, warns: acting.warns, warned: Vec::new() })
    }

    /// The repository, as the person sees it.
    pub fn checkout(&self) -> &Checkout {
        self.session.checkout()
    }

    /// Asks for something that changes nothing.
    pub fn ask<P>(&mut self, params: P) -> Result<<RepositoryRequest<P> as Method>::Answer, Failure>
    where
        RepositoryRequest<P>: ServiceMethod,
    {
        let answer = self.session.ask(params).map_err(|error| self.failed(error))?;
        self.warn::<RepositoryRequest<P>>(&answer);
        Ok(answer)
    }

    /// Asks for the lines of a list, and hands them over one by one; all the rest is returned.
    pub fn list(&mut self, list: List, each: &mut dyn FnMut(ThreadLine)) -> Result<ListReply, Failure> {
        let reply = self.session.list(list, each);
        reply.map_err(|error| self.failed(error))
    }

    /// Asks for something to be written; git must know who asks.
    pub fn write<P>(&mut self, params: P) -> Result<<RepositoryRequest<P> as Method>::Answer, Failure>
    where
        RepositoryRequest<P>: ServiceMethod,
    {
        let answer = self.session.write(params).map_err(|error| self.failed(error))?;
        self.tell_program();
        self.warn::<RepositoryRequest<P>>(&answer);
        Ok(answer)
    }

    /// Prints the warnings of an answer, unless the command does.
    fn warn<M: ServiceMethod>(&mut self, answer: &M::Answer) {
        if !PRINTED_BY_COMMAND.contains(&M::NAME) {
            self.print_warnings(M::warnings(answer));
        }
    }

    /// Prints warnings, each once however many answers have it.
    pub fn print_warnings(&mut self, warnings: &[WarningView]) {
        if !self.warns {
            return;
        }
        for warning in warnings {
            if !self.warned.contains(warning) {
                let told = sanitize::line(advice::warning(warning).as_bytes());
                // Who does not listen has the answer all the same.
                let _ = writeln!(std::io::stderr(), "warning: {told}");
                self.warned.push(warning.clone());
            }
        }
    }

    /// Says once that a program writes, and for whom: never silently.
    fn tell_program(&mut self) {
        if let Some(via) = self.session.via().filter(|_| self.tells) {
            let person =
                self.session.person().map(|person| format!(" for {}", person.name)).unwrap_or_default();
            let told = format!("as {} {}{person}", via.kind, via.program);
            // Who does not listen has the answer all the same.
            let _ = writeln!(std::io::stderr(), "{}", sanitize::line(told.as_bytes()));
            self.tells = false;
        }
    }

    /// Begins to receive events.
    pub fn subscribe(&self, to: SubscribeTo) -> Result<Subscription, Failure> {
        self.session.subscribe(to).map_err(|error| self.failed(error))
    }

    /// The email by which the person is known.
    pub fn email(&self) -> Option<&str> {
        self.session.email()
    }

    /// The moment that it is for the person, in milliseconds since 1970.
    pub fn now(&self) -> u64 {
        self.session.now()
    }

    /// The program that acts, if it is not a person by hand.
    pub fn via(&self) -> Option<&ViaView> {
        self.session.via()
    }

    /// Whether a program acts, and not a person by hand.
    pub fn is_program(&self) -> bool {
        self.session.via().is_some()
    }

    /// Fails if git does not know who asks; to be asked before a person types a long text.
    pub fn must_know_author(&self) -> Result<(), Failure> {
        self.session.must_know_author().map_err(|error| self.failed(error))
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
