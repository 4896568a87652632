//! What every command has: where it was started, and how it prints.

use postil_client::{Checkout, ClientProgram, DeclaredVia, RepositoryArgs};

use crate::connect::{Acting, CommandSession};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::render::{Colour, OutputFormat, Paging, Screen, Volume};

/// Where a command was started, and how it prints.
#[derive(Clone, Debug)]
pub struct Context {
    /// Which repository.
    pub at: RepositoryArgs,
    /// Whether to colour.
    pub colour: Colour,
    /// For people or for programs.
    pub format: OutputFormat,
    /// How much besides results.
    pub volume: Volume,
    /// Whether long results go through a pager.
    pub paging: Paging,
    /// The program that acts, if an option says so.
    pub via: Option<DeclaredVia>,
}

impl Context {
    /// Finds the repository and the service, and where results go.
    pub fn begin(&self) -> Result<(CommandSession, Screen), Failure> {
        let session = CommandSession::open(&self.at, &self.acting(), self.progress())?;
        let screen = self.screen(session.checkout());
        Ok((session, screen))
    }

    /// The same, with the pager and the colours that git has for one of its commands.
    pub fn begin_like(&self, git_command: &str) -> Result<(CommandSession, Screen), Failure> {
        let session = CommandSession::open(&self.at, &self.acting(), self.progress())?;
        let screen = self.screen_like(git_command, session.checkout());
        Ok((session, screen))
    }

    /// Where results go, with the pager and the colours that git has for one of its commands.
    pub fn screen_like(&self, git_command: &str, checkout: &Checkout) -> Screen {
        let screen = Screen::like(Some(git_command), checkout, self.colour, self.format, self.volume);
        screen.paged(self.paging)
    }

    /// The same for a command that needs no daemon, and starts none.
    pub fn begin_in_process(&self) -> Result<(CommandSession, Screen), Failure> {
        let session = CommandSession::open_in_process(&self.at, &self.acting(), self.progress())?;
        let screen = self.screen(session.checkout());
        Ok((session, screen))
    }

    /// This program, as a client of the service.
    pub fn program(&self) -> ClientProgram {
        self.acting().program()
    }

    /// Who acts.
    pub fn acting(&self) -> Acting {
        let tells = self.volume != Volume::Quiet;
        Acting { via: self.via.clone(), tells, warns: tells && !self.is_json() }
    }

    /// Where results go.
    pub fn screen(&self, checkout: &Checkout) -> Screen {
        Screen::new(checkout, self.colour, self.format, self.volume).paged(self.paging)
    }

    /// Whether a progress line is shown.
    pub fn progress(&self) -> Progress {
        Progress::new(self.volume == Volume::Quiet)
    }

    /// Whether results are for programs.
    pub fn is_json(&self) -> bool {
        self.format == OutputFormat::Json
    }
}
