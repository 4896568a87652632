//! Scores answers against what cases expect, as a table.

use std::collections::HashMap;

use serde_json::Value;

use crate::case::Corners;
use crate::stored::Failure;

/// Prints the table of the answers in one file for the cases in another.
pub fn run(answers: &str, cases: &str) -> Result<(), Failure> {
    let by_id: HashMap<String, Value> =
        read(answers)?.into_iter().map(|answer| (answer["id"].to_string(), answer)).collect();
    let pairs: Vec<(Value, Value)> = read(cases)?
        .into_iter()
        .map(|case| {
            let answer = by_id.get(&case["id"].to_string()).cloned().unwrap_or(Value::Null);
            (case, answer)
        })
        .collect();
    let errors = pairs.iter().filter(|(_, answer)| answer.is_null() || answer.get("error").is_some()).count();
    println!("{} cases, {errors} without an answer", pairs.len());
    times(&pairs);
    if pairs.iter().any(|(case, _)| case.get("set").is_some()) {
        regions(&pairs);
    } else if pairs.iter().any(|(case, _)| case["expect"].is_object()) {
        inline(&pairs);
    } else {
        lines(&pairs);
    }
    Ok(())
}

fn read(path: &str) -> Result<Vec<Value>, Failure> {
    let text = std::fs::read_to_string(path)?;
    Ok(text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?)
}

fn times(pairs: &[(Value, Value)]) {
    let mut micros: Vec<u64> = pairs.iter().filter_map(|(_, answer)| answer["micros"].as_u64()).collect();
    micros.sort_unstable();
    if let Some(last) = micros.last() {
        let at = |share: f64| micros[((micros.len() - 1) as f64 * share) as usize];
        println!("micros: median {}, 90% {}, 99% {}, most {last}", at(0.5), at(0.9), at(0.99));
    }
}

/// How often something was right, wrong or not placed.
#[derive(Default)]
struct Tally {
    right: usize,
    wrong: usize,
    unplaced: usize,
}

impl Tally {
    fn add(&mut self, case: &Value, answer: &Value) {
        if answer["path"].is_null() {
            self.unplaced += 1;
        } else if answer["path"] == case["new_path"] && answer["start"] == case["new_start"] {
            self.right += 1;
        } else {
            self.wrong += 1;
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = self.right + self.wrong + self.unplaced;
        write!(
            f,
            "{:5.1} / {:4.1} / {:4.1}  ({all})",
            percent(self.right, all),
            percent(self.wrong, all),
            percent(self.unplaced, all)
        )
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

fn lines(pairs: &[(Value, Value)]) {
    println!("correct / wrong / not placed, percent (cases)");
    let row = |name: &str, filter: &dyn Fn(&Value) -> bool| {
        let mut tally = Tally::default();
        for (case, answer) in pairs.iter().filter(|(case, _)| case["expect"] == "placed" && filter(case)) {
            tally.add(case, answer);
        }
        println!("{name:26} {tally}");
    };
    row("all placed", &|_| true);
    row("easy", &|case| case["hard"] == false);
    row("hard", &|case| case["hard"] == true);
    row("hard, one commit", &|case| case["hard"] == true && case["span"] == "adjacent");
    row("hard, long span", &|case| case["hard"] == true && case["span"] == "long");
    row("ranges of lines", &|case| case["range"] == "block");
    let gone: Vec<&Value> =
        pairs.iter().filter(|(case, _)| case["expect"] == "gone").map(|(_, answer)| answer).collect();
    let any = gone.iter().filter(|answer| !answer["path"].is_null()).count();
    let same = gone.iter().filter(|a| a["state"] == "anchored" || a["state"] == "shifted").count();
    println!(
        "gone: any placement / as anchored or shifted  {:.1} / {:.1}  ({})",
        percent(any, gone.len()),
        percent(same, gone.len()),
        gone.len()
    );
}

fn regions(pairs: &[(Value, Value)]) {
    for (title, only_measured) in [("measured", true), ("all", false)] {
        println!("regions ({title}): exact / first line right or rightly gone, percent");
        let chosen: Vec<&(Value, Value)> =
            pairs.iter().filter(|(case, _)| !only_measured || case["measured"] == true).collect();
        for set in ["anno_a", "block_training", "method_training", "variable_training", "all"] {
            let of: Vec<_> = chosen.iter().filter(|(case, _)| set == "all" || case["set"] == set).collect();
            let count = |test: &dyn Fn(&Value, &Value) -> bool| of.iter().filter(|(c, a)| test(c, a)).count();
            println!(
                "{set:20} {:5.1} / {:5.1}  ({})",
                percent(count(&is_exact), of.len()),
                percent(count(&is_right), of.len()),
                of.len()
            );
        }
        let exists: Vec<_> = chosen.iter().filter(|(case, _)| !case["new"].is_null()).collect();
        let gone: Vec<_> = chosen.iter().filter(|(case, _)| case["new"].is_null()).collect();
        let wrong = exists.iter().filter(|(c, a)| !a["path"].is_null() && !overlaps(c, a)).count();
        let lost = exists.iter().filter(|(_, answer)| answer["path"].is_null()).count();
        let placed = gone.iter().filter(|(_, answer)| !answer["path"].is_null()).count();
        println!("wrong                {:5.1}", percent(wrong, exists.len()));
        println!("gone though it exists{:5.1}", percent(lost, exists.len()));
        println!("placed though gone   {:5.1}  ({})", percent(placed, gone.len()), gone.len());
    }
}

fn corners(value: &Value) -> Option<Corners> {
    serde_json::from_value(value.clone()).ok()
}

fn is_exact(case: &Value, answer: &Value) -> bool {
    if case["new"].is_null() {
        return answer["path"].is_null();
    }
    answer["path"] == case["new_path"] && corners(&answer["range"]) == corners(&case["new"])
}

fn is_right(case: &Value, answer: &Value) -> bool {
    match corners(&case["new"]) {
        Some(new) => answer["path"] == case["new_path"] && answer["start"] == new[0],
        None => answer["path"].is_null(),
    }
}

fn overlaps(case: &Value, answer: &Value) -> bool {
    match (corners(&case["new"]), corners(&answer["range"])) {
        (Some(a), Some(b)) => {
            answer["path"] == case["new_path"] && (a[0], a[1]) <= (b[2], b[3]) && (b[0], b[1]) <= (a[2], a[3])
        }
        _ => false,
    }
}

fn inline(pairs: &[(Value, Value)]) {
    let mut right = 0;
    for (case, answer) in pairs {
        let expect = &case["expect"];
        let state = expect["states"].as_array().is_some_and(|states| states.contains(&answer["state"]));
        let place = ["path", "start", "end"].iter().all(|field| expect[*field] == answer[*field]);
        if state && place {
            right += 1;
        } else {
            println!("not as expected: {} gave {answer}", case["id"]);
        }
    }
    println!("{right} of {} as expected", pairs.len());
}
