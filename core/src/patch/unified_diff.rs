//! Writes the difference of two texts as a unified diff, as git has it.
//!
//! What is written here `git apply` reads; reading what others write is for `unified`.

use std::fmt::Write as _;

use crate::edit::{Algorithm, Hunk, LineMap, Text};
use crate::git::RepoPath;

use super::file_patch::FileMode;

/// How many unchanged lines are around each change.
const CONTEXT: u32 = 3;

/// One side of a difference.
#[derive(Clone, Copy, Debug)]
pub struct WrittenSide<'a> {
    /// Where the file is.
    pub path: &'a RepoPath,
    /// What it holds.
    pub text: &'a [u8],
    /// Its mode, where that is known.
    pub mode: Option<FileMode>,
}

/// The lines of a unified diff from one side to the other; a side that is none is a file that is not there.
///
/// Nothing for two sides that are the same. Content that is not text is reported in one line, as git does.
pub fn unified_diff(old: Option<WrittenSide<'_>>, new: Option<WrittenSide<'_>>) -> Vec<u8> {
    let (Some(first), Some(last)) = (old.or(new), new.or(old)) else { return Vec::new() };
    let (before, after) = (side_text(old), side_text(new));
    let renamed = first.path != last.path;
    let modes = (old.and_then(|side| side.mode), new.and_then(|side| side.mode));
    let mode_changed = matches!(modes, (Some(old), Some(new)) if old != new);
    if old.is_some() && new.is_some() && !renamed && !mode_changed && before == after {
        return Vec::new();
    }
    let (a, b) = (quoted(b"a/", first.path), quoted(b"b/", last.path));
    let mut out = format!("diff --git {a} {b}\n");
    match (old, new) {
        (None, Some(_)) => push_mode(&mut out, "new file mode", modes.1),
        (Some(_), None) => push_mode(&mut out, "deleted file mode", modes.0),
        _ if mode_changed => {
            push_mode(&mut out, "old mode", modes.0);
            push_mode(&mut out, "new mode", modes.1);
        }
        _ => {}
    }
    if renamed {
        let _ = writeln!(out, "rename from {}", quoted(b"", first.path));
        let _ = writeln!(out, "rename to {}", quoted(b"", last.path));
    }
    let mut out = out.into_bytes();
    if before == after {
        return out;
    }
    let (old_name, new_name) = (old.map_or("/dev/null", |_| &a), new.map_or("/dev/null", |_| &b));
    if is_binary(before) || is_binary(after) {
        out.extend(format!("Binary files {old_name} and {new_name} differ\n").into_bytes());
        return out;
    }
    out.extend(format!("--- {old_name}\n+++ {new_name}\n").into_bytes());
    write_hunks(&mut out, before, after);
    out
}

/// Whether content has no lines, as git decides it.
pub fn is_binary(text: &[u8]) -> bool {
    text.iter().take(8000).any(|byte| *byte == 0)
}

fn side_text(side: Option<WrittenSide<'_>>) -> &[u8] {
    side.map_or(b"", |side| side.text)
}

fn push_mode(out: &mut String, words: &str, mode: Option<FileMode>) {
    let mode = mode.unwrap_or(FileMode::Plain);
    let _ = writeln!(out, "{words} {:o}", mode.number());
}

/// A path as git writes it: in the quotes of C where it holds anything unusual.
fn quoted(prefix: &[u8], path: &RepoPath) -> String {
    let bytes = [prefix, path.as_bytes()].concat();
    let plain = |byte: &u8| (b' '..0x7f).contains(byte) && !b"\"\\".contains(byte);
    if bytes.iter().all(plain) {
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    let mut out = String::from("\"");
    for byte in bytes {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            byte if plain(&byte) => out.push(char::from(byte)),
            byte => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

fn write_hunks(out: &mut Vec<u8>, before: &[u8], after: &[u8]) {
    let (old, new) = (Text::new(before), Text::new(after));
    for group in groups(LineMap::between(&old, &new, Algorithm::Histogram).exact_hunks(&old, &new)) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let lead = CONTEXT.min(first.before.start);
        let trail = CONTEXT.min(old.len() - last.before.end);
        let (old_start, old_end) = (first.before.start - lead, last.before.end + trail);
        let (new_start, new_end) = (first.after.start - lead, last.after.end + trail);
        let number = |start: u32, end: u32| if start == end { start } else { start + 1 };
        let header = format!(
            "@@ -{},{} +{},{} @@\n",
            number(old_start, old_end),
            old_end - old_start,
            number(new_start, new_end),
            new_end - new_start
        );
        out.extend(header.into_bytes());
        let mut at = old_start;
        for hunk in &group {
            (at..hunk.before.start).for_each(|line| write_line(out, b' ', &old, line));
            hunk.before.clone().for_each(|line| write_line(out, b'-', &old, line));
            hunk.after.clone().for_each(|line| write_line(out, b'+', &new, line));
            at = hunk.before.end;
        }
        (at..old_end).for_each(|line| write_line(out, b' ', &old, line));
    }
}

/// Changes whose context would touch are written together.
fn groups(changes: Vec<Hunk>) -> Vec<Vec<Hunk>> {
    let mut groups: Vec<Vec<Hunk>> = Vec::new();
    for hunk in changes {
        match groups.last_mut() {
            Some(group)
                if group.last().is_some_and(|last| hunk.before.start <= last.before.end + 2 * CONTEXT) =>
            {
                group.push(hunk);
            }
            _ => groups.push(vec![hunk]),
        }
    }
    groups
}

fn write_line(out: &mut Vec<u8>, mark: u8, text: &Text, line: u32) {
    out.push(mark);
    out.extend_from_slice(text.line(line));
    out.push(b'\n');
    let ends = text.bytes().ends_with(b"\n");
    if line + 1 == text.len() && !ends {
        out.extend_from_slice(b"\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::super::ParsedPatch;
    use super::*;

    fn side<'a>(path: &'a RepoPath, text: &'a str) -> WrittenSide<'a> {
        WrittenSide { path, text: text.as_bytes(), mode: None }
    }

    /// What is written is read back, and does what it says.
    fn check(old: &str, new: &str) -> String {
        let path = RepoPath::new("dir/f").unwrap();
        let diff = unified_diff(Some(side(&path, old)), Some(side(&path, new)));
        if old != new {
            let patch = ParsedPatch::read(&diff).unwrap();
            let plan = patch.plan(None, |_| Some(old.as_bytes().to_vec())).unwrap();
            assert_eq!(String::from_utf8_lossy(&plan[0].applied.text), new);
        }
        String::from_utf8(diff).unwrap()
    }

    #[test]
    fn a_difference_is_written_as_git_writes_it() {
        let diff = check("a\nb\nc\n", "a\nB\nc\n");
        assert_eq!(
            diff,
            "diff --git a/dir/f b/dir/f\n--- a/dir/f\n+++ b/dir/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
        );
        assert_eq!(check("a\n", "a\n"), "");
        assert!(check("a\nb", "a\nb\n").contains("-b\n\\ No newline at end of file\n+b\n"));
        assert!(check("", "x\n").contains("@@ -0,0 +1,1 @@\n+x\n"));
        assert!(check("a\r\nb\n", "a\nb\n").contains("-a\r\n+a\n"));
    }

    #[test]
    fn distant_changes_are_hunks_of_their_own() {
        let old: String = (0..40).map(|n| format!("line {n}\n")).collect();
        let new = old.replace("line 5\n", "LINE 5\n").replace("line 30\n", "").replace("line 8\n", "8\n");
        assert_eq!(check(&old, &new).matches("@@ -").count(), 2);
    }

    #[test]
    fn files_are_made_deleted_renamed_and_get_modes() {
        let (a, b) = (RepoPath::new("a\u{e9} \"x\"").unwrap(), RepoPath::new("b").unwrap());
        let text = |old, new| String::from_utf8(unified_diff(old, new)).unwrap();
        assert_eq!(
            text(Some(side(&a, "x\n")), Some(side(&b, "x\n"))),
            "diff --git \"a/a\\303\\251 \\\"x\\\"\" b/b\nrename from \"a\\303\\251 \\\"x\\\"\"\nrename to b\n"
        );
        assert!(text(None, Some(side(&b, "x\n"))).contains("new file mode 100644\n--- /dev/null\n+++ b/b\n"));
        assert!(
            text(Some(side(&b, "x\n")), None).contains("deleted file mode 100644\n--- a/b\n+++ /dev/null\n")
        );
        let with = |mode| WrittenSide { mode: Some(mode), ..side(&b, "x\n") };
        assert_eq!(
            text(Some(with(FileMode::Plain)), Some(with(FileMode::Executable))),
            "diff --git a/b b/b\nold mode 100644\nnew mode 100755\n"
        );
        assert!(text(Some(side(&b, "\0")), Some(side(&b, "x"))).contains("Binary files a/b and b/b differ"));
    }
}
