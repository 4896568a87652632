//! How comments drift: a table of folders and one of periods, with bars at a terminal.

use std::fmt::Write as _;

use postil_protocol::{ByteText, DriftCounts, PeriodDrift, StatsReply, StatusTimes};

use super::colour::Ink;
use super::position_words::count;
use super::screen::Screen;
use super::when;
use crate::failure::Failure;
use crate::sanitize;

/// A bar has so many columns at most.
const BAR: usize = 20;

/// A bar with fewer columns says too little.
const MIN_BAR: usize = 4;

/// The name of a folder has so many columns at least, before it is cut.
const MIN_NAME: usize = 16;

/// The columns of figures are so wide.
const FIGURE: usize = 9;

/// A day is so wide: `2026-01-31`.
const DAY: usize = 10;

/// So many columns of figures both tables have.
const FIGURES: usize = 6;

impl Screen {
    /// How comments drift.
    pub fn stats(&mut self, reply: &StatsReply) -> Result<(), Failure> {
        if reply.all.threads == 0 {
            self.print_message("nothing to count");
            return Ok(());
        }
        self.line(sums(&reply.all))?;
        self.folders(reply)?;
        self.periods(&reply.periods)?;
        if reply.truncated {
            self.print_message("note: the periods do not have all of history or all threads");
        }
        times(&reply.times).into_iter().try_for_each(|line| self.line(line))
    }

    fn folders(&mut self, reply: &StatsReply) -> Result<(), Failure> {
        if reply.folders.is_empty() {
            return Ok(());
        }
        let listed = reply.folders.iter();
        let mut rows: Vec<(String, DriftCounts, bool)> =
            listed.map(|folder| (self.folder(&folder.path), folder.counts, folder.unstable)).collect();
        rows.extend(reply.other_folders.map(|counts| ("(other folders)".to_owned(), counts, false)));
        let longest = rows.iter().map(|(name, ..)| sanitize::width(name)).max().unwrap_or(0);
        let room = |width: usize| width.saturating_sub(FIGURES * FIGURE).max(MIN_NAME);
        let names = longest.min(self.width().map_or(usize::MAX, room)).max("folder".len());
        let bar = self.bar_room(names);
        self.line("")?;
        let head = row(&["threads", "open", "in place", "moved", "outdated", "lost"]);
        self.line(self.ink(Ink::Strong, format!("{}{head}", sanitize::pad("folder", names))))?;
        for (name, counts, unstable) in &rows {
            let DriftCounts { threads, open, in_place, moved, outdated, lost, .. } = counts;
            let figures = [threads, open, in_place, moved, outdated, lost].map(ToString::to_string);
            let name = sanitize::pad(&sanitize::fit_end(name, names), names);
            let name = self.ink(if *unstable { Ink::Bad } else { Ink::Place }, name);
            self.bar_line(&name, &figures, Ink::Bad, &share_bar(outdated + lost, *threads, bar))?;
        }
        let unstable = rows.iter().filter(|(_, _, unstable)| *unstable).map(|(name, ..)| name.as_str());
        let unstable: Vec<&str> = unstable.collect();
        if unstable.is_empty() {
            return Ok(());
        }
        let told = format!("unstable: {}", unstable.join(", "));
        for line in sanitize::wrap(&told, self.width().unwrap_or(usize::MAX)) {
            self.line(self.ink(Ink::Bad, line))?;
        }
        Ok(())
    }

    fn periods(&mut self, periods: &[PeriodDrift]) -> Result<(), Failure> {
        if periods.is_empty() {
            return Ok(());
        }
        self.line("")?;
        let head = row(&["started", "threads", "moved", "outdated", "lost", "found"]);
        self.line(self.ink(Ink::Strong, format!("{:<DAY$}{head}", "since")))?;
        let happened = |period: &PeriodDrift| period.moved + period.outdated + period.lost;
        let most = periods.iter().map(happened).max().unwrap_or(0);
        let bar = self.bar_room(DAY);
        for period in periods {
            let PeriodDrift { started, threads, moved, outdated, lost, recovered, .. } = period;
            let figures = [started, threads, moved, outdated, lost, recovered].map(ToString::to_string);
            let bar = share_bar(happened(period), most, bar);
            self.bar_line(&when::day(period.start), &figures, Ink::Doubt, &bar)?;
        }
        Ok(())
    }

    /// A name, its figures and a bar.
    fn bar_line(
        &mut self,
        name: &str,
        figures: &[String; FIGURES],
        ink: Ink,
        bar: &str,
    ) -> Result<(), Failure> {
        let figures = row(&figures.each_ref().map(String::as_str));
        let blanks = if bar.is_empty() { "" } else { "  " };
        self.line(format!("{name}{figures}{blanks}{}", self.ink(ink, bar)))
    }

    /// How wide bars may be behind names of a width; without a terminal there are none.
    fn bar_room(&self, names: usize) -> usize {
        let room = |width: usize| width.saturating_sub(names + FIGURES * FIGURE + 2).min(BAR);
        self.width().map(room).filter(|room| *room >= MIN_BAR).unwrap_or(0)
    }

    /// The name of a folder.
    fn folder(&self, path: &ByteText) -> String {
        if path.as_bytes().is_empty() { "./".to_owned() } else { self.naming.path(path) + "/" }
    }
}

/// All threads in one line.
fn sums(all: &DriftCounts) -> String {
    let DriftCounts { open, in_place, moved, outdated, lost, without_place, moved_by_hand, .. } = all;
    let threads = count(all.threads, "thread", "threads");
    let mut told = format!(
        "{threads}, {open} open: {in_place} in place, {moved} moved, {outdated} outdated, {lost} lost"
    );
    if *without_place > 0 {
        let _ = write!(told, ", {without_place} on no file");
    }
    if *moved_by_hand > 0 {
        let _ = write!(told, " ({moved_by_hand} moved by hand)");
    }
    told
}

/// How long threads stay open, below an empty line.
fn times(times: &StatusTimes) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Some(median), Some(longest)) = (times.open_median, times.open_longest) {
        let open = count(times.open, "thread", "threads");
        let (median, longest) = (when::duration(median), when::duration(longest));
        lines.push(format!("{open} open: half of them for at most {median}, the oldest for {longest}"));
    }
    if let (Some(median), Some(most)) = (times.resolved_median, times.resolved_most) {
        let resolved = count(times.resolved, "thread", "threads");
        let (median, most) = (when::duration(median), when::duration(most));
        lines.push(format!("{resolved} resolved: half of them within {median}, nine of ten within {most}"));
    }
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    lines
}

fn row(figures: &[&str; FIGURES]) -> String {
    figures.iter().map(|figure| format!("{figure:>FIGURE$}")).collect()
}

/// A bar for a share; what is more than nothing is seen.
fn share_bar(part: u32, whole: u32, columns: usize) -> String {
    if part == 0 || whole == 0 {
        return String::new();
    }
    let wide = (part as usize * columns).div_ceil(whole as usize);
    "█".repeat(wide.min(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_wide_as_its_share_and_never_wider() {
        for (part, whole, columns, wide) in
            [(0, 5, 10, 0), (5, 5, 10, 10), (1, 100, 10, 1), (9, 5, 10, 10), (1, 0, 10, 0), (1, 2, 0, 0)]
        {
            assert_eq!(share_bar(part, whole, columns).chars().count(), wide, "{part} of {whole}");
        }
    }

    #[test]
    fn times_are_told_if_there_are_any() {
        assert!(times(&StatusTimes::default()).is_empty());
        let open = StatusTimes {
            open: 1,
            open_median: Some(0),
            open_longest: Some(90_000_000),
            ..StatusTimes::default()
        };
        assert_eq!(times(&open)[1], "1 thread open: half of them for at most 1m, the oldest for 1d");
    }
}
