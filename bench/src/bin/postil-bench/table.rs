//! The table of figures that a run prints.

use std::time::Duration;

use crate::clock::Timing;

/// One figure.
pub struct BenchRow {
    what: String,
    timing: Option<Timing>,
    figure: Option<f64>,
    unit: &'static str,
    target: Option<Goal>,
}

/// What a figure is to be.
#[derive(Clone, Copy)]
pub enum Goal {
    AtMost(f64),
    AtLeast(f64),
}

impl BenchRow {
    /// A time that others are compared with.
    pub fn time(what: impl Into<String>, timing: Timing) -> Self {
        Self { what: what.into(), timing: Some(timing), figure: None, unit: "", target: None }
    }

    /// A time as a multiple of another one.
    pub fn ratio(what: impl Into<String>, timing: Timing, figure: f64, unit: &'static str) -> Self {
        Self { figure: Some(figure), unit, ..Self::time(what, timing) }
    }

    /// A figure that is no time.
    pub fn figure(what: impl Into<String>, figure: f64, unit: &'static str) -> Self {
        Self { what: what.into(), timing: None, figure: Some(figure), unit, target: None }
    }

    /// Says what the figure is to be.
    pub fn aim(self, target: Goal) -> Self {
        Self { target: Some(target), ..self }
    }

    fn verdict(&self) -> (String, &'static str) {
        let figure = self.figure.unwrap_or_default();
        let (words, holds) = match self.target {
            None => return (String::new(), ""),
            Some(Goal::AtMost(most)) => (format!("≤ {most} {}", self.unit), figure <= most),
            Some(Goal::AtLeast(least)) => (format!("≥ {least} {}", self.unit), figure >= least),
        };
        (words, if holds { "holds" } else { "MISSES" })
    }
}

/// How many times longer `a` took than `b`, by the wall.
pub fn times(a: Timing, b: Timing) -> f64 {
    a.wall.as_secs_f64() / b.wall.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// Prints the lines with their columns under each other.
pub fn print(lines: &[BenchRow]) {
    println!("{:<66} {:>9} {:>9} {:>12}  {:<12} ", "", "wall ms", "cpu ms", "figure", "target");
    for line in lines {
        let milliseconds = |pick: fn(Timing) -> Duration| {
            line.timing.map(|timing| format!("{:.2}", pick(timing).as_secs_f64() * 1e3)).unwrap_or_default()
        };
        let figure = line.figure.map(|figure| format!("{figure:.2} {}", line.unit)).unwrap_or_default();
        let (target, holds) = line.verdict();
        println!(
            "{:<66} {:>9} {:>9} {figure:>12}  {target:<12} {holds}",
            line.what,
            milliseconds(|timing| timing.wall),
            milliseconds(|timing| timing.cpu),
        );
    }
}
