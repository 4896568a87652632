//! Somebody who asks the service about one repository.

use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use postil_core::anchoring::Stop;
use postil_core::git::ConfigScope;
use postil_core::record::Timestamp;
use postil_protocol::{
    Buffer, ByteText, Comment, Fault, List, ListReply, Method, Person, Place, RepositoryName,
    RepositoryRequest, ServiceMethod, Span, ViaView,
};
use postil_service::{Service, ServiceOptions};
use postil_testkit::patient;

/// When everything happens.
const NOW: Timestamp = Timestamp(1_700_000_000_000);

/// A service with nothing of the machine's configuration.
pub fn service() -> Service {
    Service::new(ServiceOptions {
        patience: patient(),
        threads: NonZeroUsize::new(2).expect("two is not zero"),
        settings: ConfigScope::Isolated,
    })
}

/// A person and a repository.
pub struct Asker<'a> {
    pub service: &'a Service,
    pub name: &'static str,
    pub git_dir: ByteText,
    /// What an editor has open.
    pub buffers: Vec<Buffer>,
    /// When they do it, if not now.
    pub at: Option<u64>,
    /// The program that asks in their name.
    pub via: Option<ViaView>,
}

impl<'a> Asker<'a> {
    pub fn new(service: &'a Service, name: &'static str, work_tree: &Path) -> Self {
        let git_dir = ByteText::new(work_tree.join(".git").as_os_str().as_bytes());
        Self { service, name, git_dir, buffers: Vec::new(), at: None, via: None }
    }

    pub fn repository(&self) -> RepositoryName {
        RepositoryName { git_dir: self.git_dir.clone(), work_tree: None }
    }

    fn about<P>(&self, params: P) -> RepositoryRequest<P> {
        let author = Person::new(self.name, format!("{}@example.com", self.name));
        RepositoryRequest {
            repository: self.repository(),
            author: Some(author),
            via: self.via.clone(),
            utc_offset: 0,
            at: self.at,
            buffers: self.buffers.clone(),
            params,
        }
    }

    /// Asks, whatever comes of it.
    pub fn try_ask<P>(&self, params: P) -> Result<<RepositoryRequest<P> as Method>::Answer, Fault>
    where
        RepositoryRequest<P>: ServiceMethod,
    {
        self.try_ask_until(params, &Stop::default())
    }

    /// Asks, and may lose interest.
    pub fn try_ask_until<P>(
        &self,
        params: P,
        stop: &Stop,
    ) -> Result<<RepositoryRequest<P> as Method>::Answer, Fault>
    where
        RepositoryRequest<P>: ServiceMethod,
    {
        let reply = self.service.answer(NOW, &self.about(params).into_call(), stop)?;
        Ok(<RepositoryRequest<P> as ServiceMethod>::answer_in(reply)
            .expect("a method is answered by its own reply"))
    }

    /// Asks, which must succeed.
    pub fn ask<P>(&self, params: P) -> <RepositoryRequest<P> as Method>::Answer
    where
        RepositoryRequest<P>: ServiceMethod,
    {
        self.try_ask(params).unwrap_or_else(|fault| panic!("{fault}: {:?}", fault.data))
    }

    /// Comments on a line; returns the thread's id.
    pub fn comment(&self, path: &str, line: u32, text: &str) -> String {
        let place = Place { span: Some(Span::lines(line, line)), ..Place::file(path) };
        self.ask(said(Some(place), text)).id.to_string()
    }

    /// All threads; what is told to clients is what is answered, however much of it was kept.
    /// It asks twice: only for a time in which nobody writes.
    pub fn list(&self) -> ListReply {
        let told = self.told(List::default());
        let answered = self.ask(List::default());
        assert_eq!(serde_json::from_slice::<ListReply>(&told).expect("a list is told"), answered);
        answered
    }

    /// A list as it is told to clients.
    pub fn told(&self, list: List) -> Arc<Vec<u8>> {
        self.service
            .answer_json(NOW, &self.about(list).into_call(), &Stop::default())
            .expect("a list is told")
    }
}

/// A comment without anything else.
pub fn said(place: Option<Place>, text: &str) -> Comment {
    Comment {
        message: None,
        place,
        text: text.into(),
        severity: None,
        tags: Vec::new(),
        review: None,
        suggestion: None,
        draft: false,
    }
}
