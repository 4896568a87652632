//! `postil export`

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use postil_protocol::{Detail, HeadName, Show, ThreadStatus, ThreadView};

use super::Context;
use super::list::{self, ListArgs};
use crate::connect::CommandSession;
use crate::failure::{Failure, Kind};
use crate::harmless;
use crate::progress::Steps;
use crate::render::count;
use postil_service::formats::{
    CommentsFile, Exported, write_comments, write_lines, write_rdjson, write_rdjsonl, write_sarif,
};

/// Write threads in a format of other tools
///
/// Takes the filters of `postil list`, and tells threads where they are now. What is
/// written as SARIF, rdjson or lines of JSON can be imported again, but for what is
/// about a whole review. Drafts are left out.
///
/// `comments` writes a file for each source file, below the folder that -o names;
/// without -o, threads of one source file only.
///
/// Examples:
///
///     postil export --format sarif -o review.sarif
///     postil export --format rdjsonl src/ --severity blocker | reviewdog -f=rdjsonl
///     postil export --format comments -o .
///     postil export --format json --all
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ExportArgs {
    /// The format
    #[arg(short, long, value_name = "NAME")]
    format: ExportFormat,

    /// Write here instead of to standard output, which is `-`; of `comments`, the folder
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    filter: ListArgs,
}

/// A format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ExportFormat {
    /// Lines of JSON, a thread each, as in docs/protocol.md
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// Reviewdog, one object
    Rdjson,
    /// Reviewdog, one object a line
    Rdjsonl,
    /// `.comments` files, version 2.0
    Comments,
}

/// Exports.
pub fn run(args: &ExportArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let output = args.output.as_deref().filter(|file| file.as_os_str() != "-");
    let reply = list::all(&args.filter, &mut session, Detail::Full)?;
    let threads = context.progress().during("exporting", |steps| {
        steps.expect(reply.threads.len());
        exported(args, &mut session, reply.threads, steps)
    })?;
    let left_out = match args.format {
        ExportFormat::Json | ExportFormat::Sarif => 0,
        ExportFormat::Rdjson | ExportFormat::Rdjsonl | ExportFormat::Comments => {
            threads.iter().filter(|exported| exported.path().is_none()).count()
        }
    };
    if left_out > 0 {
        let threads = count(left_out, "thread", "threads");
        screen.tell(format!("note: {threads} about a whole review left out; this format needs a file"));
    }
    let content = match args.format {
        ExportFormat::Json => write_lines(&threads),
        ExportFormat::Sarif => write_sarif(&threads, env!("CARGO_PKG_VERSION")),
        ExportFormat::Rdjson => write_rdjson(&threads),
        ExportFormat::Rdjsonl => write_rdjsonl(&threads),
        ExportFormat::Comments => {
            let files = write_comments(&threads);
            match (output, files.as_slice()) {
                (Some(folder), _) => {
                    let folder = context.at.directory.join(folder);
                    fs::create_dir_all(&folder).map_err(|error| not_written(&folder, error))?;
                    for file in &files {
                        write_below(&folder, file)?;
                    }
                    screen.tell(format!("wrote {}", count(files.len(), "file", "files")));
                    return screen.close();
                }
                (None, []) => String::new(),
                (None, [only]) => only.content.clone(),
                (None, _) => {
                    let what = format!("the threads are about {} files, and each needs its own", files.len());
                    let hint = "name a folder with -o, or one source file";
                    return Err(Failure::new(Kind::Usage, what).hint(hint));
                }
            }
        }
    };
    // Every format is JSON, which may end up on a terminal.
    let content = harmless::json(content);
    match output {
        None if content.is_empty() => {}
        None => screen.line(content.strip_suffix('\n').unwrap_or(&content))?,
        Some(file) => {
            let file = context.at.directory.join(file);
            write_file(&file, &content).map_err(|error| not_written(&file, error))?;
            let written = count(threads.len() - left_out, "thread", "threads");
            screen.tell(format!("wrote {written} to {}", file.display()));
        }
    }
    screen.close()
}

/// The threads that are written, with what their format needs to know of each.
fn exported(
    args: &ExportArgs,
    session: &mut CommandSession,
    found: Vec<ThreadView>,
    steps: &Steps,
) -> Result<Vec<Exported>, Failure> {
    let mut threads = Vec::with_capacity(found.len());
    for mut thread in found {
        steps.step();
        // Drafts stay here until they are published, and other formats have no word for what was taken back.
        thread.comments.retain(|comment| !comment.draft);
        let is_gone = thread.status == ThreadStatus::Withdrawn && args.format != ExportFormat::Json;
        if thread.draft || is_gone {
            continue;
        }
        let lines = match args.format {
            ExportFormat::Comments => lines_of(args, session, thread.id.as_str())?,
            _ => Vec::new(),
        };
        threads.push(Exported { thread, lines });
    }
    Ok(threads)
}

/// The lines where a thread is, with those around them.
fn lines_of(
    args: &ExportArgs,
    session: &mut CommandSession,
    id: &str,
) -> Result<Vec<(u32, postil_protocol::ByteText)>, Failure> {
    let head = args.filter.at.clone().map_or(HeadName::WorkTree, HeadName::Rev);
    Ok(session.ask(Show { of: id.to_owned(), head })?.lines)
}

/// Writes the file of one source file, below a folder that it cannot leave.
fn write_below(folder: &Path, file: &CommentsFile) -> Result<(), Failure> {
    let mut at = folder.to_owned();
    let mut parts = file.about.split(|byte| *byte == b'/').peekable();
    while let Some(part) = parts.next() {
        at.push(OsStr::from_bytes(part));
        if parts.peek().is_some() {
            // Beyond a link is another place, which nobody named.
            match fs::symlink_metadata(&at) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => {
                    let error = std::io::Error::other("it is no folder, or leads elsewhere");
                    return Err(not_written(&at, error));
                }
                Err(_) => fs::create_dir_all(&at).map_err(|error| not_written(&at, error))?,
            }
        }
    }
    let mut name = at.into_os_string();
    name.push(".comments");
    let path = PathBuf::from(name);
    write_file(&path, &file.content).map_err(|error| not_written(&path, error))
}

/// Writes a whole file or none of it; a link is replaced, not followed.
fn write_file(path: &Path, content: &str) -> std::io::Result<()> {
    // What is no file, such as a terminal or a pipe, can only be written to.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return fs::write(path, content);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().permissions(mode()).tempfile_in(folder)?;
    file.write_all(content.as_bytes())?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// What `umask` leaves of this is what other programs would have given the file.
fn mode() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::Permissions::from_mode(0o666)
}

fn not_written(path: &Path, error: std::io::Error) -> Failure {
    Failure::new(Kind::Unavailable, format!("could not write {}", path.display()))
        .because(error)
        .hint("name another place with `-o`")
}
