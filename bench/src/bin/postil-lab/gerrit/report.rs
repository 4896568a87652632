//! Counts what was found, as a table.

use std::fmt::Write;

use super::answers::{FoundRemark, Later};

/// The table, for the next patch sets and for the last ones.
pub fn table(found: &[FoundRemark]) -> String {
    let mut table = String::new();
    for (title, left_out) in [("to the next patch set", Later::Last), ("to the last patch set", Later::Next)]
    {
        let of: Vec<&FoundRemark> = found.iter().filter(|found| found.later != left_out).collect();
        let changed: Vec<&FoundRemark> = of.iter().copied().filter(|found| !found.same_file).collect();
        section(&mut table, title, &of);
        section(&mut table, "  of them in files that changed", &changed);
    }
    table
}

fn section(table: &mut String, title: &str, of: &[&FoundRemark]) {
    let count = |test: &dyn Fn(&FoundRemark) -> bool| of.iter().filter(|found| test(found)).count();
    let placed = |found: &FoundRemark| found.answer.path.is_some();
    let rows: [(&str, usize); 12] = [
        ("tried", of.len()),
        ("kept by postil", count(&|f| placed(f) && !f.is_replaced())),
        ("  sure (anchored or shifted)", count(&FoundRemark::is_sure)),
        ("  outdated", count(&|f| placed(f) && !f.is_sure() && !f.is_replaced())),
        ("replaced", count(&FoundRemark::is_replaced)),
        ("not placed", count(&|f| !placed(f))),
        ("kept by git diff (Gerrit's rule)", count(&|f| f.myers.is_some())),
        ("kept by git diff --histogram", count(&|f| f.histogram.is_some())),
        ("kept by git, lines that stand once", count(&|f| f.undisputed().is_some())),
        ("  postil disagrees: lost", count(&|f| f.disagreement() == Some("lost"))),
        ("  postil disagrees: elsewhere", count(&|f| f.disagreement() == Some("elsewhere"))),
        ("  postil agrees, but is not sure", count(&|f| f.disagreement() == Some("unsure"))),
    ];
    // Writing to a string cannot fail.
    let _ = writeln!(table, "{title}");
    for (name, count) in rows {
        let share = 100.0 * count as f64 / of.len().max(1) as f64;
        let _ = writeln!(table, "  {name:36} {count:6}  {share:5.1} %");
    }
}
