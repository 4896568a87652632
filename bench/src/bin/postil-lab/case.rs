//! The forms of cases and answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A line, a column, a line, a column; counted from one, both ends included.
pub type Corners = [u32; 4];

/// What is asked; which form it is shows in the fields that are there.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum LocateCase {
    Stored(Stored),
    Inline(Box<InlineCase>),
}

/// A place in a repository's history.
#[derive(Debug, Deserialize)]
pub struct Stored {
    pub repo: String,
    pub store: Option<String>,
    pub old_commit: String,
    pub old_path: String,
    pub old_start: Option<u32>,
    pub old_end: Option<u32>,
    pub old: Option<Corners>,
    pub new_commit: String,
    /// Whether the old commit and its trees are gone when the anchor is located, as in a clone that has only the pin.
    #[serde(default)]
    pub pruned: bool,
}

/// A place in a text that stands in the case itself.
#[derive(Debug, Deserialize)]
pub struct InlineCase {
    pub old: Option<String>,
    pub new: Option<String>,
    pub old_path: String,
    pub new_path: Option<String>,
    pub start: Option<u32>,
    pub end: Option<u32>,
    pub start_col: Option<u32>,
    pub end_col: Option<u32>,
    pub side: Option<String>,
    pub base_old: Option<String>,
    pub base_new: Option<String>,
    pub base_new_path: Option<String>,
    #[serde(default)]
    pub extra_old: BTreeMap<String, String>,
    #[serde(default)]
    pub extra_new: BTreeMap<String, String>,
}

/// What is answered.
#[derive(Debug, Serialize, Deserialize)]
pub struct CaseAnswer {
    pub id: serde_json::Value,
    pub state: String,
    pub path: Option<String>,
    pub start: Option<u32>,
    pub end: Option<u32>,
    pub range: Option<Corners>,
    pub confidence: u16,
    pub reason: String,
    pub candidates: Vec<AnsweredCandidate>,
    pub micros: u64,
}

/// Another place that was considered.
#[derive(Debug, Serialize, Deserialize)]
pub struct AnsweredCandidate {
    pub path: String,
    pub start: Option<u32>,
    pub end: Option<u32>,
    pub confidence: u16,
}
