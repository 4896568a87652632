//! Takes words of strangers out of what agents get, where their person wants that (`postil.agentsRead`).
//!
//! Every answer of the service passes here, whatever door it goes through, so a client has nothing to remember. Each kind of
//! answer has its arm: a new method does not compile without one. What is left out of views is in `withheld_views`.

use postil_protocol::{
    Advice, ChangeView, ChangesReply, DoctorReply, Fault, FaultCode, Hex, InboxReply, ListReply, PlanReply,
    Reply, ReviewReadiness, ShowReply, StatsReply, StatusReply, ThreadView, WarningView,
};

use crate::request::Request;
use crate::trust::AgentReads;
use crate::view::withheld_views::{WITHHELD, Withholding, place};

/// What names the setting, in what is told.
const BY_SETTING: &str = "neither signed nor written here (postil.agentsRead)";

/// An answer as far as who asks gets it, with how many comments and reviews were withheld.
pub(crate) fn for_reader(request: &Request, answer: Result<Reply, Fault>) -> Result<Reply, Fault> {
    if request.reads == AgentReads::All {
        return answer;
    }
    let mut withholding = Withholding::new(request);
    match answer {
        Ok(mut reply) => {
            withholding.reply(&mut reply)?;
            Ok(reply.with_warnings(withholding.told()))
        }
        Err(fault) => Err(withholding.fault(fault)),
    }
}

/// Leaves out of threads that are about to be written as text what who asks does not get.
pub(crate) fn leave_out(request: &Request, threads: &mut Vec<ThreadView>) {
    if request.reads == AgentReads::All {
        return;
    }
    let mut withholding = Withholding::new(request);
    withholding.threads(threads);
    threads.retain_mut(|thread| {
        let is_told = thread.comments.iter().any(|one| one.id == thread.id && !one.withheld);
        thread.comments.retain(|comment| !comment.withheld);
        thread.proposals.retain(|proposal| proposal.author.name != WITHHELD);
        is_told
    });
    withholding.told().into_iter().for_each(|warning| request.warnings.add(warning));
}

impl Withholding<'_> {
    /// What is said if something was withheld.
    fn told(&self) -> Option<WarningView> {
        let counted = |count: usize, one: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {one}s")),
        };
        let (comments, reviews) = (self.comments.len(), self.reviews.len());
        let counts =
            [counted(comments, "comment"), counted(reviews, "review"), counted(self.changes, "change")];
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        let are = if comments + reviews + self.changes == 1 { "is" } else { "are" };
        let what = format!("{} {are} withheld: {BY_SETTING}", counts.join(" and "));
        (!counts.is_empty()).then_some(WarningView { what, advice: None })
    }

    fn reply(&mut self, reply: &mut Reply) -> Result<(), Fault> {
        let warnings: &mut Vec<WarningView> = match reply {
            Reply::List(reply) => {
                self.list(reply);
                &mut reply.warnings
            }
            Reply::Changes(reply) => {
                self.changes(reply);
                &mut reply.warnings
            }
            Reply::Show(reply) => {
                self.show(reply);
                &mut reply.warnings
            }
            Reply::Log(reply) => {
                self.thread(&mut reply.thread);
                self.timeline(&mut reply.timeline);
                // The steps are where its author says that it was put.
                if !self.is_told(&reply.thread.id) || !self.are_moves_told(&reply.thread.id) {
                    reply.steps.clear();
                }
                reply.steps.iter_mut().for_each(|step| place(&mut step.position));
                &mut reply.warnings
            }
            Reply::Diff(reply) => {
                self.threads(&mut reply.threads);
                for file in &mut reply.files {
                    self.threads(&mut file.threads);
                    file.lines.iter_mut().for_each(|line| self.threads(&mut line.threads));
                }
                &mut reply.warnings
            }
            Reply::ReviewList(reply) => {
                reply.reviews.iter_mut().for_each(|review| self.review(review));
                &mut reply.warnings
            }
            Reply::ReviewStart(reply)
            | Reply::ReviewShow(reply)
            | Reply::ReviewVerdict(reply)
            | Reply::ReviewChange(reply)
            | Reply::ReviewEdit(reply)
            | Reply::ReviewAsk(reply) => {
                self.review(&mut reply.review);
                reply.ready.iter_mut().for_each(|ready| self.ready(ready));
                &mut reply.warnings
            }
            Reply::ReviewSince(reply) => {
                self.review(&mut reply.review);
                reply.verdict.iter_mut().for_each(|verdict| self.verdict(verdict));
                &mut reply.warnings
            }
            Reply::ReviewReady(reply) => {
                reply.reviews.iter_mut().for_each(|review| self.readiness(review));
                &mut reply.warnings
            }
            Reply::Status(reply) => {
                self.status(reply);
                &mut reply.warnings
            }
            Reply::Inbox(reply) => {
                self.inbox(reply);
                &mut reply.warnings
            }
            Reply::Stats(reply) => {
                self.stats(reply);
                &mut reply.warnings
            }
            Reply::Doctor(reply) => {
                self.doctor(reply);
                &mut reply.warnings
            }
            Reply::Apply(reply) | Reply::Patch(reply) => {
                self.plan(reply)?;
                &mut reply.warnings
            }
            Reply::Comment(reply) | Reply::Reply(reply) => {
                self.thread(&mut reply.thread);
                reply.opened.iter_mut().for_each(|review| self.review(review));
                &mut reply.warnings
            }
            Reply::Edit(reply)
            | Reply::Resolve(reply)
            | Reply::Reopen(reply)
            | Reply::Withdraw(reply)
            | Reply::Move(reply)
            | Reply::Propose(reply)
            | Reply::AnswerProposals(reply) => {
                self.threads(&mut reply.threads);
                &mut reply.warnings
            }
            Reply::Publish(reply) => {
                self.threads(&mut reply.threads);
                &mut reply.warnings
            }
            Reply::Purge(reply) => {
                reply.authors.iter_mut().for_each(|author| self.person(author));
                &mut reply.warnings
            }
            // The threads that these are made of passed here as threads; see `leave_out`.
            Reply::Export(reply) => &mut reply.warnings,
            // These say what was done, by ids and numbers, and what an agent itself gave.
            Reply::CommentBatch(reply) => {
                for refused in &mut reply.refused {
                    refused.reason = self.without_names(&refused.reason);
                }
                &mut reply.warnings
            }
            Reply::Import(reply) => {
                for refused in reply.refused.iter_mut().chain(&mut reply.without_fix) {
                    refused.reason = self.without_names(&refused.reason);
                }
                &mut reply.warnings
            }
            Reply::Init(reply) => &mut reply.warnings,
            Reply::MarkRead(reply) => &mut reply.warnings,
            Reply::WritePositions(reply) => &mut reply.warnings,
            // People only: an agent is refused before.
            Reply::ApplyWrite(reply) => &mut reply.warnings,
            Reply::Undo(reply) => &mut reply.warnings,
            Reply::Sync(reply) => &mut reply.warnings,
        };
        for warning in warnings {
            warning.what = self.without_names(&warning.what);
        }
        Ok(())
    }

    /// An error without names that strangers chose.
    fn fault(&mut self, mut fault: Fault) -> Fault {
        fault.message = match fault.advice() {
            Some(Advice::RestorePurged { .. } | Advice::ShowRestored { .. }) => purged(&fault.message).into(),
            _ => self.without_names(&fault.message).into(),
        };
        for text in fault.data.causes.iter_mut().chain(&mut fault.data.candidates) {
            *text = self.without_names(text);
        }
        fault
    }

    fn threads(&mut self, threads: &mut [ThreadView]) {
        for thread in threads {
            self.thread(thread);
        }
    }

    /// What strangers did is counted, and wakes nobody.
    fn changes(&mut self, reply: &mut ChangesReply) {
        self.threads(&mut reply.threads);
        for placed in &mut reply.placed {
            placed.from.iter_mut().chain(&mut placed.to).for_each(place);
            placed.view.iter_mut().for_each(|view| self.thread(view));
        }
        reply.reviews.iter_mut().for_each(|review| self.review(review));
        let (told, withheld): (Vec<ChangeView>, Vec<ChangeView>) = std::mem::take(&mut reply.changes)
            .into_iter()
            .partition(|change| change.record.as_ref().is_none_or(|record| self.is_vouched(record)));
        let is_about = |of: &Hex| {
            let about = |changes: &[ChangeView]| changes.iter().any(|change| change.of == *of);
            about(&told) || !about(&withheld)
        };
        reply.threads.retain(|thread| is_about(&thread.id));
        reply.reviews.retain(|review| is_about(&review.id));
        reply.changes = told;
        // What was withheld before says nothing about what is new.
        self.comments.clear();
        self.reviews.clear();
        self.changes = withheld.len();
    }

    fn list(&mut self, reply: &mut ListReply) {
        self.threads(&mut reply.threads);
        reply.lines.iter_mut().for_each(|line| self.line(line));
    }

    fn show(&mut self, reply: &mut ShowReply) {
        self.thread(&mut reply.thread);
        self.timeline(&mut reply.timeline);
        reply.review.iter_mut().for_each(|review| self.review(review));
    }

    fn status(&mut self, reply: &mut StatusReply) {
        reply.review.iter_mut().for_each(|review| self.review(review));
        reply.to_judge.iter_mut().for_each(|asked| self.asked(asked));
        reply.ready.iter_mut().for_each(|ready| self.ready(ready));
        let told = reply.damage.iter_mut();
        for text in told.chain(reply.sync_trouble.iter_mut().map(|trouble| &mut trouble.what)) {
            *text = self.without_names(text);
        }
    }

    fn readiness(&mut self, review: &mut ReviewReadiness) {
        self.ready(&mut review.state);
        if !self.is_review_told(&review.id) {
            WITHHELD.clone_into(&mut review.title);
            self.branch(&mut review.branch);
            self.branch(&mut review.base);
        }
    }

    fn inbox(&mut self, reply: &mut InboxReply) {
        for review in &mut reply.reviews {
            if let Some(name) = &mut review.review
                && !self.is_review_told(&name.id)
            {
                WITHHELD.clone_into(&mut name.title);
                self.branch(&mut name.branch);
                name.author = Withholding::nobody();
            }
            review.asked.iter_mut().for_each(|asked| self.asked(asked));
            review.verdicts.iter_mut().for_each(|verdict| self.verdict(verdict));
            for thread in &mut review.threads {
                if !self.is_told(&thread.id) {
                    WITHHELD.clone_into(&mut thread.text);
                    (thread.severity, thread.path) = (None, None);
                }
                for news in &mut thread.news {
                    if !self.is_vouched(&news.record) {
                        (news.author, news.text) = (Withholding::nobody(), None);
                    }
                }
            }
        }
    }

    fn stats(&mut self, reply: &mut StatsReply) {
        for folder in &mut reply.folders {
            if !self.is_folder(&folder.path) {
                folder.path = WITHHELD.into();
            }
        }
    }

    /// What is wrong is told; the names that others gave to entries and records are not.
    fn doctor(&mut self, reply: &mut DoctorReply) {
        for finding in &mut reply.findings {
            let what = finding.what.split(", such as ").next().unwrap_or_default();
            finding.what = match finding.advice {
                Advice::RestorePurged { .. } => purged(what),
                _ => self.without_names(what),
            };
        }
        for purge in &mut reply.purges {
            self.person(&mut purge.by);
            purge.authors.iter_mut().for_each(|author| self.person(author));
        }
    }

    /// What a stranger suggests is code: nothing of it is shown.
    fn plan(&mut self, reply: &mut PlanReply) -> Result<(), Fault> {
        if !reply.suggestions.iter().all(|said| self.is_told(&said.id)) {
            let message = format!("this suggestion is withheld: {BY_SETTING}");
            return Err(Fault::new(FaultCode::Refused, message).reason("not-allowed"));
        }
        for said in &mut reply.left_out {
            if !self.is_told(&said.id) {
                reply.conflicts.retain(|conflict| conflict.suggestion.as_ref() != Some(&said.short));
                (said.author, said.subject) = (Withholding::nobody(), WITHHELD.to_owned());
            }
        }
        Ok(())
    }
}

/// What was purged, without the people who wrote and purged it: the kind and the id of a record come first.
fn purged(story: &str) -> String {
    let words: Vec<&str> = story.split(' ').take(2).collect();
    format!("{} was purged", words.join(" "))
}
