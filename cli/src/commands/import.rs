//! `postil import`

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use postil_client::Checkout;
use postil_protocol::{Import, ImportReply, In};

use super::{Context, paths};
use crate::connect::failed;
use crate::failure::{Failure, Kind};
use crate::render::line;
use postil_service::formats::{self, FormatError, MAX_INPUT_BYTES, Report, appraise};

/// What to do about entries that were refused.
const REFUSED: &str = "the warnings above tell which and why; the rest is imported";

/// Take over comments and findings of other tools
///
/// What is imported is tagged `imported`, `from:` its source and `id:` its name there.
/// Importing the same again adds nothing. Entries that cannot be read, or lead out
/// of the repository, are told and left out; the exit code is 1 then.
///
/// `appraise` reads refs/notes/devtools/* and no file.
///
/// Examples:
///
///     cargo clippy --message-format=json | clippy-sarif | postil import --format sarif -
///     postil import --format sarif --retire report.sarif
///     postil import --format comments src/*.comments
///     postil import --format appraise
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ImportArgs {
    /// The format
    #[arg(short, long, value_name = "NAME")]
    format: ImportFormat,

    /// Resolve threads of earlier imports from the same tool that it does not report any more
    #[arg(long)]
    retire: bool,

    /// Files; `-` is standard input
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,
}

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ImportFormat {
    /// `.comments` files, version 1.0 or 2.0
    Comments,
    /// The notes of git-appraise
    Appraise,
    /// SARIF 2.1.0
    Sarif,
    /// Reviewdog, one object
    Rdjson,
    /// Reviewdog, one object a line
    Rdjsonl,
    /// Lines of JSON that postil exported
    Json,
}

/// Takes over.
pub fn run(args: &ImportArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    session.must_know_author()?;
    let mut report = Report::default();
    match (args.format, args.files.as_slice()) {
        (ImportFormat::Appraise, []) => report = notes_of_appraise(session.checkout())?,
        (ImportFormat::Appraise, _) => {
            let what = "git-appraise keeps its reviews in refs/notes/devtools/*, and not in files";
            return Err(Failure::new(Kind::Usage, what).hint("leave the files out"));
        }
        (_, []) => {
            let hint = "name the files that it is in; `-` is standard input";
            return Err(Failure::new(Kind::Usage, "there is nothing to import").hint(hint));
        }
        (format, files) => {
            for file in files {
                let read = || read(format, file, session.checkout(), &context.at.directory);
                // Whoever types the report sees what they do.
                let read = if file == "-" { read() } else { context.progress().during("reading", read) };
                report.join(read?);
            }
        }
    }
    let too_many = |error: FormatError| {
        Failure::new(Kind::Usage, "nothing was imported").because(error).hint("import it in several parts")
    };
    let (import, mut refused) = report.into_import(args.retire).map_err(too_many)?;
    let mut reply = session.write(import)?;
    refused.append(&mut reply.refused);
    reply.refused = refused;
    if context.is_json() {
        screen.json::<In<Import>>(&reply)?;
    } else {
        for refused in &reply.refused {
            screen.tell(format!(
                "warning: {}: {}",
                line(refused.id.as_bytes()),
                line(refused.reason.as_bytes())
            ));
        }
        screen.line(told(&reply))?;
    }
    screen.close()?;
    match reply.refused.len() {
        0 => Ok(()),
        1 => Err(Failure::new(Kind::CheckFailed, "1 entry was not imported").hint(REFUSED)),
        count => {
            Err(Failure::new(Kind::CheckFailed, format!("{count} entries were not imported")).hint(REFUSED))
        }
    }
}

/// What came of it, on one line.
fn told(reply: &ImportReply) -> String {
    let comments = |count: usize| if count == 1 { "1 comment".into() } else { format!("{count} comments") };
    let mut told = format!("imported {}", comments(reply.added.len()));
    let counts = [
        (reply.reviews as usize, "reviews and verdicts"),
        (reply.known as usize, "known already"),
        (reply.changed as usize, "with new words"),
        (reply.displaced as usize, "not where they were"),
        (reply.retired.len(), "retired"),
        (reply.reopened.len(), "reopened"),
    ];
    for (count, what) in counts.iter().filter(|(count, _)| *count > 0) {
        told.extend([", ", &count.to_string(), " ", what]);
    }
    told
}

/// Reads one file.
fn read(
    format: ImportFormat,
    file: &OsStr,
    checkout: &Checkout,
    directory: &Path,
) -> Result<Report, Failure> {
    let shown = if file == "-" { "standard input".to_owned() } else { file.display().to_string() };
    let bytes = bytes_of(file, directory).map_err(|error| {
        Failure::new(Kind::NotFound, format!("could not read {shown}"))
            .because(error)
            .hint("name a file that can be read, or `-` for standard input")
    })?;
    let root = checkout.work_tree().map(|root| root.as_os_str().as_bytes());
    let read = match format {
        ImportFormat::Sarif => formats::sarif(&bytes, root),
        ImportFormat::Rdjson => formats::rdjson(&bytes, root),
        ImportFormat::Rdjsonl => formats::rdjsonl(&bytes, root),
        ImportFormat::Json => formats::threads(&bytes),
        ImportFormat::Comments => {
            let name = file.as_bytes().strip_suffix(b".comments").map(OsStr::from_bytes);
            let is_beside = name.is_some_and(|name| paths::on_disk(checkout, name).is_some());
            // One that lies elsewhere, as an export does, says itself which file it is about.
            let elsewhere = if is_beside { None } else { formats::comments(&bytes, None).ok() };
            match elsewhere.filter(|report| is_about_a_file(checkout, report)) {
                Some(report) => Ok(report),
                None => {
                    let about = name.map(|name| paths::inside(checkout, name)).transpose()?;
                    formats::comments(&bytes, about.as_deref())
                }
            }
        }
        ImportFormat::Appraise => unreachable!("notes are in no file"),
    };
    read.map_err(|error| {
        Failure::new(Kind::Usage, format!("{shown} cannot be imported"))
            .because(error)
            .hint("`--format` says what it is: sarif, rdjson, rdjsonl, comments, json or appraise")
    })
}

/// What a file holds; one byte more than can be read is enough to tell that it is too large.
fn bytes_of(file: &OsStr, directory: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = MAX_INPUT_BYTES as u64 + 1;
    if file == "-" {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(directory.join(file))?.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Reads the notes of git-appraise.
fn notes_of_appraise(checkout: &Checkout) -> Result<Report, Failure> {
    let mut notes: BTreeMap<String, appraise::Notes> = BTreeMap::new();
    let mut is_any = false;
    for (name, is_request) in [("refs/notes/devtools/reviews", true), ("refs/notes/devtools/discuss", false)]
    {
        let found = checkout.foreign_notes(name).map_err(|error| failed(error, Some(checkout)))?;
        is_any |= found.is_some();
        for found in found.into_iter().flatten() {
            let note = notes.entry(found.object).or_default();
            let part = if is_request { &mut note.requests } else { &mut note.discussion };
            part.extend_from_slice(&found.text);
            part.push(b'\n');
        }
    }
    if is_any {
        return Ok(appraise::read(&notes));
    }
    let what = "there are no reviews of git-appraise here";
    let hint = "fetch them: git fetch origin 'refs/notes/devtools/*:refs/notes/devtools/*'";
    Err(Failure::new(Kind::NotFound, what).hint(hint))
}

/// Whether the file that these comments are about is there.
fn is_about_a_file(checkout: &Checkout, report: &Report) -> bool {
    let place = report.comments.first().and_then(|comment| comment.place.as_ref());
    let file = place.and_then(|place| checkout.file(place.path.as_bytes()));
    file.is_some_and(|file| file.symlink_metadata().is_ok())
}
