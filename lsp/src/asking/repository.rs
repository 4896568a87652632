//! The repositories of the documents that are open.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crossbeam_channel::Sender;
use gen_lsp_types::Diagnostic;
use postil_client::{ClientProgram, RepositoryArgs};
use postil_protocol::Buffer;

use crate::asking::worker::{FromWorker, Job, Worker, WorkerTask};
use crate::shown::thread_at::ThreadAt;

/// Where a repository is.
pub(crate) struct FoundRepository {
    /// The root of its working tree.
    pub(crate) root: PathBuf,
    /// Its git directory.
    pub(crate) git_dir: PathBuf,
}

impl FoundRepository {
    /// Finds the repository around a file; `None` outside of any, and for files of git itself.
    pub(crate) fn around(file: &Path) -> Option<Self> {
        let folder = file.ancestors().skip(1).find(|folder| folder.is_dir())?;
        let checkout = RepositoryArgs::around(folder).find().ok()?;
        let root = checkout.work_tree()?.to_owned();
        let git_dir = checkout.git_dir().to_owned();
        // The folder may have been named through a link.
        let real = folder.canonicalize();
        let is_of_git = file.starts_with(&git_dir) || real.is_ok_and(|real| real.starts_with(&git_dir));
        (!is_of_git).then_some(Self { root, git_dir })
    }
}

/// A text that the service is asked about.
pub(crate) struct AskedText {
    /// The address of the document.
    pub(crate) uri: String,
    /// The number of the text.
    pub(crate) revision: u64,
}

/// A repository that a document is in.
pub(crate) struct OpenRepository {
    /// The root of its working tree.
    pub(crate) root: PathBuf,
    /// Where unfinished texts are kept.
    pub(crate) git_dir: PathBuf,
    worker: Worker,
    /// When to ask where the threads are.
    pub(crate) due: Option<Instant>,
    /// Which documents a question under way is about, each with the number of its text.
    pub(crate) asked: Option<Vec<AskedText>>,
    /// Whether what happens there is told.
    pub(crate) is_listening: bool,
    /// All threads, as of the last answer.
    pub(crate) threads: Vec<ThreadAt>,
    /// What the editor was told about files that are gone, by their paths.
    pub(crate) gone: BTreeMap<Vec<u8>, Vec<Diagnostic>>,
    /// What the last answer could not read, as it was told.
    pub(crate) warned: Vec<String>,
}

impl OpenRepository {
    /// Begins to ask about a repository.
    pub(crate) fn open(
        number: usize,
        found: FoundRepository,
        program: &ClientProgram,
        to: Sender<FromWorker>,
        give_back: fn(),
    ) -> Option<Self> {
        let FoundRepository { root, git_dir } = found;
        let worker = Worker::start(number, &root, program.clone(), to, give_back).ok()?;
        Some(Self {
            root,
            git_dir,
            worker,
            due: None,
            asked: None,
            is_listening: false,
            threads: Vec::new(),
            gone: BTreeMap::new(),
            warned: Vec::new(),
        })
    }

    /// The path of a file from the root; `None` for a file that is not below it.
    pub(crate) fn relative(&self, file: &Path) -> Option<Vec<u8>> {
        let below = |root: &Path, file: &Path| {
            file.strip_prefix(root).ok().map(|path| path.as_os_str().as_bytes().to_vec())
        };
        // The folder may have been named through a link, which git does not follow; a file may be one itself.
        let real = file.parent().zip(file.file_name()).and_then(|(folder, name)| {
            let (root, folder) = (self.root.canonicalize().ok()?, folder.canonicalize().ok()?);
            below(&root, &folder.join(name))
        });
        real.or_else(|| below(&self.root, file))
    }

    /// The threads of a file, as of the last answer.
    pub(crate) fn threads_at(&self, relative: &[u8]) -> Vec<ThreadAt> {
        self.threads.iter().filter(|thread| thread.path() == Some(relative)).cloned().collect()
    }

    /// Has something done by the service.
    pub(crate) fn ask(&self, buffers: Vec<Buffer>, task: WorkerTask) {
        self.worker.ask(Job { buffers, task });
    }
}
