//! What `postil-lab gerrit` is asked.

use std::path::PathBuf;

use crate::stored::LabError;

/// The options of the command.
pub struct GerritOptions {
    /// A bare git directory that has `refs/changes`.
    pub mirror: PathBuf,
    /// So many comments are drawn; all without it.
    pub limit: Option<usize>,
    /// What is drawn depends on it alone.
    pub seed: u64,
    pub threads: usize,
    /// Whether comments on a part of a line, or on several lines, are put there and not on their last line.
    pub span: SpanChoice,
    /// Where all answers go.
    pub answers: Option<PathBuf>,
    /// How many of the answers are written out to be judged by hand.
    pub sample: usize,
    /// The folder that the sample goes to.
    pub sample_to: PathBuf,
}

/// What of the commented code an anchor takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanChoice {
    /// The line beside which Gerrit shows the comment.
    Line,
    /// All that was selected.
    Selection,
}

impl GerritOptions {
    /// Reads the words behind the command.
    pub fn parse(arguments: &[&str]) -> Result<Self, LabError> {
        let mut options = Self {
            mirror: PathBuf::new(),
            limit: None,
            seed: 1,
            threads: 1,
            span: SpanChoice::Line,
            answers: None,
            sample: 0,
            sample_to: PathBuf::from("."),
        };
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            if *name == "--selections" {
                options.span = SpanChoice::Selection;
                continue;
            }
            let value = rest.next().ok_or_else(|| format!("{name} needs a value"))?;
            match *name {
                "--mirror" => options.mirror = PathBuf::from(value),
                "--limit" => options.limit = Some(value.parse()?),
                "--seed" => options.seed = value.parse()?,
                "--threads" => options.threads = value.parse::<usize>()?.max(1),
                "--answers" => options.answers = Some(PathBuf::from(value)),
                "--sample" => options.sample = value.parse()?,
                "--sample-to" => options.sample_to = PathBuf::from(value),
                _ => return Err(format!("{name} is no option").into()),
            }
        }
        if options.mirror.as_os_str().is_empty() {
            return Err("--mirror is missing".into());
        }
        Ok(options)
    }

    /// The name of the repository, where the mirror lies in a folder `owner+name`.
    pub fn repository(&self) -> String {
        let folder = self.mirror.parent().and_then(|folder| folder.file_name());
        folder.map(|name| name.to_string_lossy().replace('+', "/")).unwrap_or_default()
    }
}
