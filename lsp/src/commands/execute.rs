//! Runs the commands of an editor that write: the answer comes when it is on disk.

use std::fmt::Write as _;

use lsp_server::RequestId;
use postil_client::{Session, SessionError};
use postil_protocol::{
    AnswerProposals, Buffer, Comment, Move, MoveTo, Place, ProposalAnswer, Publish, Reopen, ReplyTo, Resolve,
    SeverityView, Span,
};
use serde_json::{Value, json};

use crate::asking::worker::{Finished, WorkerTask};
use crate::commands::command::{
    CommentArguments, EditorCommand, MoveArguments, ReplyArguments, RepositoryOf, ThreadArguments,
};
use crate::commands::jump::Way;
use crate::documents::document::OpenDocument;
use crate::documents::span::span;
use crate::server::Server;
use crate::shown::shown_text::shown_text;
use crate::texts::entry::EntryPurpose;
use crate::told::told;

/// A command about a document that no repository has.
pub(super) const NO_REPOSITORY: &str = "this document is not in a repository";

impl Server {
    /// Does what an editor asks for; the answer comes when it is done.
    pub(crate) fn execute(&mut self, id: RequestId, command: EditorCommand) {
        let done = match command {
            EditorCommand::Comment(arguments) => self.comment(&id, arguments),
            EditorCommand::Reply(arguments) => self.reply_to(&id, arguments),
            EditorCommand::Resolve(ThreadArguments { thread, reason }) => {
                let of = vec![thread.clone()];
                self.write(&id, &thread, move |session| {
                    session.write(Resolve { threads: of, reason, by: None }).map(|_| Value::Null)
                })
            }
            EditorCommand::Reopen(ThreadArguments { thread, reason }) => {
                let of = vec![thread.clone()];
                self.write(&id, &thread, move |session| {
                    session.write(Reopen { threads: of, reason }).map(|_| Value::Null)
                })
            }
            EditorCommand::Accept(of) => self.answer_proposals(&id, of, ProposalAnswer::Accept),
            EditorCommand::Decline(of) => self.answer_proposals(&id, of, ProposalAnswer::Decline),
            EditorCommand::Marker(at) => self.send_marker(&id, at),
            EditorCommand::Move(MoveArguments { thread, candidate: None }) => self.ask_where(&id, &thread),
            EditorCommand::Move(MoveArguments { thread, candidate: Some(candidate) }) => {
                let of = thread.clone();
                self.write(&id, &thread, move |session| {
                    session.write(Move { of, to: MoveTo::Candidate(candidate) }).map(|_| Value::Null)
                })
            }
            EditorCommand::Publish(RepositoryOf { uri }) => self.publish_drafts(&id, &uri),
            EditorCommand::Original(ThreadArguments { thread, .. }) => self.original(&id, &thread),
            EditorCommand::Apply(ThreadArguments { thread, .. }) => self.apply(&id, &thread),
            EditorCommand::List(of) => self.list(&id, &of),
            EditorCommand::Next(from) => self.jump(&id, &from, Way::Forward),
            EditorCommand::Previous(from) => self.jump(&id, &from, Way::Back),
        };
        if let Err(why) = done {
            self.refuse(id, &why);
        }
    }

    /// Accepts or declines what is proposed for a thread.
    fn answer_proposals(
        &mut self,
        id: &RequestId,
        of: ThreadArguments,
        answer: ProposalAnswer,
    ) -> Result<(), String> {
        let threads = vec![of.thread.clone()];
        self.write(id, &of.thread, move |session| {
            session.write(AnswerProposals { threads, answer, reason: of.reason }).map(|_| Value::Null)
        })
    }

    fn comment(&mut self, id: &RequestId, arguments: CommentArguments) -> Result<(), String> {
        let CommentArguments { uri, range, text, draft, severity } = arguments;
        let document =
            self.documents.get(&uri).filter(|document| !document.is_lost()).ok_or(NO_REPOSITORY)?;
        let span = range.map(|range| span(document, &range, self.editor.encoding)).transpose()?;
        let place = Place { span, ..Place::file(document.relative.clone()) };
        let seen = document.buffer();
        let repository = document.repository;
        let Some(text) = text else {
            let about = about_place(document, span);
            return self.open_entry(id, repository, EntryPurpose::Comment { place, seen }, &about);
        };
        let comment = Comment {
            place: Some(place),
            message: None,
            text,
            severity: severity.map(SeverityView::from),
            tags: Vec::new(),
            review: None,
            suggestion: None,
            draft,
        };
        // What the person sees, whatever was typed since.
        self.write_in(id, repository, vec![seen], move |session| {
            session.write(comment).map(|written| json!({ "thread": written.thread.id }))
        });
        Ok(())
    }

    fn reply_to(&mut self, id: &RequestId, arguments: ReplyArguments) -> Result<(), String> {
        let ReplyArguments { thread, text, draft } = arguments;
        let repository = self.repository_with(&thread)?;
        let Some(text) = text else {
            let about = self.about_thread(repository, &thread);
            return self.open_entry(id, repository, EntryPurpose::Reply { thread }, &about);
        };
        self.write_in(id, repository, Vec::new(), move |session| {
            let reply = ReplyTo { to: thread, text, suggestion: None, draft, resolve: false };
            session.write(reply).map(|_| Value::Null)
        });
        Ok(())
    }

    fn publish_drafts(&mut self, id: &RequestId, uri: &str) -> Result<(), String> {
        let repository = self.documents.get(uri).ok_or(NO_REPOSITORY)?.repository;
        self.write_in(id, repository, Vec::new(), |session| {
            session.write(Publish::default()).map(|_| Value::Null)
        });
        Ok(())
    }

    /// The repository that has a thread.
    pub(crate) fn repository_with(&self, thread: &str) -> Result<usize, String> {
        let has = |nth: &usize| {
            self.repositories[*nth].threads.iter().any(|known| known.view.id.as_str() == thread)
        };
        (0..self.repositories.len()).find(has).ok_or_else(|| format!("no such thread: {thread}"))
    }

    fn write(
        &mut self,
        id: &RequestId,
        thread: &str,
        write: impl FnOnce(&mut Session) -> Result<Value, SessionError> + Send + 'static,
    ) -> Result<(), String> {
        let repository = self.repository_with(thread)?;
        let (buffers, _) = self.buffers(repository);
        self.write_in(id, repository, buffers, write);
        Ok(())
    }

    /// Has something written, and answers when it is on disk.
    fn write_in(
        &mut self,
        id: &RequestId,
        repository: usize,
        buffers: Vec<Buffer>,
        write: impl FnOnce(&mut Session) -> Result<Value, SessionError> + Send + 'static,
    ) {
        let id = id.clone();
        let work = move |session: &mut Session| -> Finished {
            let done = write(session);
            Box::new(move |server: &mut Server| {
                match done {
                    Ok(answer) => server.reply(id, answer),
                    Err(error) => server.refuse(id, &told(&error)),
                }
                server.look_again(repository);
            })
        };
        self.repositories[repository].ask(buffers, WorkerTask::Write(Box::new(work)));
    }

    /// What is shown below an unfinished reply.
    fn about_thread(&self, repository: usize, thread: &str) -> String {
        let threads = &self.repositories[repository].threads;
        let Some(found) = threads.iter().find(|known| known.view.id.as_str() == thread) else {
            return String::new();
        };
        let mut about = format!("A reply to {}:\n", found.view.short);
        for comment in &found.view.comments {
            let _ = writeln!(about, "\n{}:", shown_text(&comment.author.name));
            for line in comment.text.lines() {
                let _ = writeln!(about, "> {}", shown_text(line));
            }
        }
        about
    }
}

/// What is shown below an unfinished comment.
fn about_place(document: &OpenDocument, span: Option<Span>) -> String {
    let path = shown_text(&String::from_utf8_lossy(&document.relative));
    let Some(span) = span else { return format!("A comment on {path}") };
    let end = if span.end == span.start { String::new() } else { format!("-{}", span.end) };
    let mut about = format!("A comment on {path}:{}{end}:\n\n", span.start);
    for line in span.start..=span.end.min(span.start + 20) {
        let _ = writeln!(
            about,
            "    {}",
            shown_text(&String::from_utf8_lossy(document.live.text().bare(line - 1)))
        );
    }
    about
}
