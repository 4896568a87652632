//! What a list would have shown, where the filter matched nothing.

use postil_protocol::{Detail, Filter, HeadName, List, Scope, ThreadStatus};

use crate::connect::CommandSession;
use crate::failure::Failure;
use crate::render::{Screen, count, line};

/// Names that are less alike were not meant: at most this share of their letters differs.
const MAX_DIFFERENT: f64 = 0.34;

/// So many names are suggested.
const MAX_NAMES: usize = 3;

/// Says what there would be without the filter, or without one part of it.
pub fn explain(
    asked: &List,
    all: bool,
    session: &mut CommandSession,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let mut told = Vec::new();
    for (name, without) in parts(&asked.filter) {
        let found = total(asked, without, asked.scope, session)?;
        if found > 0 {
            told.push(format!("{} without `{name}`", count(found, "thread", "threads")));
        }
    }
    let plain = || Filter { statuses: asked.filter.statuses.clone(), ..Filter::default() };
    if told.is_empty() && asked.filter != plain() {
        let found = total(asked, plain(), asked.scope, session)?;
        if found > 0 {
            told.push(format!("{} without these filters", count(found, "thread", "threads")));
        }
    }
    if told.is_empty() && !all {
        let here = total(asked, Filter::default(), asked.scope, session)?;
        if here > 0 && asked.filter.statuses == [ThreadStatus::Open] {
            told.push(format!("{} with another status; use `--all`", count(here, "thread", "threads")));
        } else {
            let everywhere = total(asked, Filter::default(), Scope::All, session)?;
            if everywhere > 0 {
                told.push(format!(
                    "{} on other branches; use `--all`",
                    count(everywhere, "thread", "threads")
                ));
            }
        }
    }
    if !told.is_empty() {
        screen.print_message(format!("note: there would be {}", told.join(", ")));
    }
    suggest(asked, session, screen)
}

/// The parts of a filter, each with the rest.
fn parts(filter: &Filter) -> Vec<(&'static str, Filter)> {
    let given = [
        ("PATH", !filter.paths.is_empty()),
        ("--state", !filter.states.is_empty()),
        ("--author", !filter.authors.is_empty()),
        ("--mine", !filter.started_by.is_empty()),
        ("--grep", filter.text.is_some()),
        ("--unread", filter.unread),
        ("--severity", !filter.severities.is_empty()),
        ("--tag", !filter.tags.is_empty()),
        ("--review", filter.review.is_some()),
        ("--since", filter.since.is_some()),
        ("--needs-choice", filter.needs_choice),
    ];
    let mut parts = Vec::new();
    for (name, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
        let mut rest = filter.clone();
        match name {
            "PATH" => rest.paths.clear(),
            "--state" => rest.states.clear(),
            "--author" => rest.authors.clear(),
            "--mine" => rest.started_by.clear(),
            "--grep" => rest.text = None,
            "--unread" => rest.unread = false,
            "--severity" => rest.severities.clear(),
            "--tag" => rest.tags.clear(),
            "--review" => rest.review = None,
            "--since" => rest.since = None,
            _ => rest.needs_choice = false,
        }
        parts.push((name, rest));
    }
    parts
}

fn total(asked: &List, filter: Filter, scope: Scope, session: &mut CommandSession) -> Result<u32, Failure> {
    let limit = Some(1);
    Ok(session.ask(List { scope, filter, limit, detail: Detail::Line, ..asked.clone() })?.total)
}

/// Suggests people and files whose names are nearly the ones that were given.
fn suggest(asked: &List, session: &mut CommandSession, screen: &mut Screen) -> Result<(), Failure> {
    let Filter { authors, paths, .. } = &asked.filter;
    if authors.is_empty() && paths.is_empty() {
        return Ok(());
    }
    let everything =
        List { scope: Scope::All, head: HeadName::Head, detail: Detail::Line, ..List::default() };
    let (mut people, mut files) = (Vec::new(), Vec::new());
    let add = |names: &mut Vec<String>, name: String| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    session.list(everything, &mut |line| {
        if let Some(author) = line.author {
            add(&mut people, author);
        }
        if let Some(path) = line.path {
            add(&mut files, String::from_utf8_lossy(path.as_bytes()).into_owned());
        }
    })?;
    for author in authors {
        // A part of a name may be given, so its words count one by one.
        let words = |name: &str| name.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let likeness = |name: &String| {
            words(name).iter().chain([name]).map(|word| different(author, word)).fold(1.0, f64::min)
        };
        tell("person", &nearest(&people, likeness), screen);
    }
    for path in paths {
        let given = String::from_utf8_lossy(path.as_bytes()).into_owned();
        let file = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let likeness = |name: &String| different(&given, name).min(different(&file(&given), &file(name)));
        tell("file", &nearest(&files, likeness), screen);
    }
    Ok(())
}

fn tell(what: &str, names: &[&String], screen: &mut Screen) {
    let names: Vec<String> = names.iter().map(|name| line(name.as_bytes())).collect();
    if !names.is_empty() {
        screen.print_message(format!("hint: a {what} with threads has a similar name: {}", names.join(", ")));
    }
}

/// The names that are most alike, the likeliest first; none that is the same.
fn nearest(names: &[String], different: impl Fn(&String) -> f64) -> Vec<&String> {
    let scored = names.iter().map(|name| (different(name), name));
    let mut near: Vec<_> = scored.filter(|(score, _)| *score > 0.0 && *score <= MAX_DIFFERENT).collect();
    near.sort_by(|(one, left), (other, right)| one.total_cmp(other).then_with(|| left.cmp(right)));
    near.into_iter().take(MAX_NAMES).map(|(_, name)| name).collect()
}

/// How much two names differ, from 0 to 1: the letters to change, of all letters, in any case.
fn different(one: &str, other: &str) -> f64 {
    let letters = |name: &str| name.to_lowercase().chars().take(256).collect::<Vec<char>>();
    let (one, other) = (letters(one), letters(other));
    let longest = one.len().max(other.len());
    if longest == 0 {
        return 0.0;
    }
    let mut before: Vec<usize> = (0..=other.len()).collect();
    let mut two_before = before.clone();
    for (row, letter) in one.iter().enumerate() {
        let mut now = vec![row + 1];
        for (column, its) in other.iter().enumerate() {
            let changed = before[column] + usize::from(letter != its);
            let mut least = changed.min(before[column + 1] + 1).min(now[column] + 1);
            // Two letters in the wrong order are one mistake.
            if row > 0 && column > 0 && *letter == other[column - 1] && one[row - 1] == *its {
                least = least.min(two_before[column - 1] + 1);
            }
            now.push(least);
        }
        two_before = std::mem::replace(&mut before, now);
    }
    before[other.len()] as f64 / longest as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_is_near_and_another_is_not() {
        let near = |one: &str, other: &str| different(one, other) <= MAX_DIFFERENT;
        assert!(near("alcie", "alice") && near("Alise", "alice") && near("src/mian.rs", "src/main.rs"));
        assert!(!near("alice", "bob") && !near("a", "b") && !near("", "bob"));
        assert_eq!(different("ab", "ba"), 0.5);
    }

    #[test]
    fn every_part_of_a_filter_can_be_left_out() {
        let filter = Filter { unread: true, text: Some("x".into()), ..Filter::default() };
        let parts = parts(&filter);
        assert_eq!(parts.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["--grep", "--unread"]);
        assert!(parts[0].1.unread && parts[0].1.text.is_none() && !parts[1].1.unread);
    }
}
