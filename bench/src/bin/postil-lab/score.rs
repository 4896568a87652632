//! Scores answers against what cases expect, as a table.

use std::collections::HashMap;

use serde_json::Value;

use crate::case::Corners;
use crate::stored::LabError;

/// Prints the table of the answers in one file for the cases in another.
pub fn run(answers: &str, cases: &str) -> Result<(), LabError> {
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

fn read(path: &str) -> Result<Vec<Value>, LabError> {
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

/// How often something was right, wrong, said to be replaced, or lost.
#[derive(Debug, Default, PartialEq, Eq)]
struct ScoreTally {
    right: usize,
    wrong: usize,
    replaced: usize,
    lost: usize,
}

impl ScoreTally {
    fn add(&mut self, case: &Value, answer: &Value) {
        let is_there = answer["path"] == case["new_path"] && answer["start"] == case["new_start"];
        let counter = match (answer["path"].is_null(), is_there) {
            (true, _) => &mut self.lost,
            (false, false) => &mut self.wrong,
            (false, true) if is_replaced(answer) => &mut self.replaced,
            (false, true) => &mut self.right,
        };
        *counter += 1;
    }
}

/// Whether the place is only where something else came to stand: not kept, and no guess either.
fn is_replaced(answer: &Value) -> bool {
    answer["reason"] == "replaced"
}

impl std::fmt::Display for ScoreTally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = self.right + self.wrong + self.replaced + self.lost;
        let share = |count| percent(count, all);
        write!(f, "{:5.1} / {:4.1} / ", share(self.right), share(self.wrong))?;
        write!(f, "{:4.1} / {:4.1}  ({all})", share(self.replaced), share(self.lost))
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

fn lines(pairs: &[(Value, Value)]) {
    println!("right / wrong / replaced / lost, percent (cases)");
    let row = |name: &str, filter: &dyn Fn(&Value) -> bool| {
        let mut tally = ScoreTally::default();
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
    let any = gone.iter().filter(|answer| is_guess(answer)).count();
    let replaced = gone.iter().filter(|answer| is_replaced(answer)).count();
    let same = gone.iter().filter(|a| a["state"] == "anchored" || a["state"] == "shifted").count();
    println!(
        "gone: any placement / as anchored or shifted / replaced  {:.1} / {:.1} / {:.1}  ({})",
        percent(any, gone.len()),
        percent(same, gone.len()),
        percent(replaced, gone.len()),
        gone.len()
    );
}

/// Whether the answer says where something is, if only perhaps.
fn is_guess(answer: &Value) -> bool {
    !answer["path"].is_null() && !is_replaced(answer)
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
        let placed = gone.iter().filter(|(_, answer)| is_guess(answer)).count();
        let replaced = exists.iter().filter(|(c, a)| is_replaced(a) && overlaps(c, a)).count();
        let gone_replaced = gone.iter().filter(|(_, answer)| is_replaced(answer)).count();
        println!("wrong                {:5.1}", percent(wrong, exists.len()));
        println!("replaced             {:5.1}", percent(replaced, exists.len()));
        println!("gone though it exists{:5.1}", percent(lost, exists.len()));
        println!("placed though gone   {:5.1}  ({})", percent(placed, gone.len()), gone.len());
        println!("replaced, and gone   {:5.1}", percent(gone_replaced, gone.len()));
    }
}

fn corners(value: &Value) -> Option<Corners> {
    serde_json::from_value(value.clone()).ok()
}

fn is_exact(case: &Value, answer: &Value) -> bool {
    if case["new"].is_null() {
        return answer["path"].is_null();
    }
    !is_replaced(answer)
        && answer["path"] == case["new_path"]
        && corners(&answer["range"]) == corners(&case["new"])
}

fn is_right(case: &Value, answer: &Value) -> bool {
    match corners(&case["new"]) {
        Some(new) => !is_replaced(answer) && answer["path"] == case["new_path"] && answer["start"] == new[0],
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_replaced_is_neither_right_nor_kept_nor_a_guess() {
        let case = json!({ "new_path": "a", "new_start": 3 });
        let answer =
            |path: Option<&str>, start, reason| json!({ "path": path, "start": start, "reason": reason });
        let mut tally = ScoreTally::default();
        tally.add(&case, &answer(Some("a"), 3, "edited"));
        tally.add(&case, &answer(Some("a"), 3, "replaced"));
        tally.add(&case, &answer(Some("a"), 4, "replaced"));
        tally.add(&case, &answer(None, 0, "deleted"));
        assert_eq!(tally, ScoreTally { right: 1, wrong: 1, replaced: 1, lost: 1 });
        assert_eq!(tally.to_string(), " 25.0 / 25.0 / 25.0 / 25.0  (4)");
        assert!(is_guess(&answer(Some("a"), 3, "edited")) && !is_guess(&answer(Some("a"), 3, "replaced")));
    }
}
