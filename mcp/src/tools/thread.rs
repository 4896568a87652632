//! `thread`: one thread as a whole.

use postil_protocol::Show;

use super::arguments::ToolArguments;
use super::failing::{failed, warning};
use super::pages::{AnswerPage, blocks};
use super::review_tools::Asked;
use crate::listing::Shown;
use crate::wire::toolbox::ToolAnswer;

pub(super) fn thread(asked: &mut Asked<'_>) -> ToolAnswer {
    let arguments = ToolArguments::of(&asked.call.arguments, &["id", "cursor"]);
    let given = arguments.and_then(|arguments| Ok((arguments.needed("id")?, AnswerPage::asked(arguments)?)));
    let (id, page) = match given {
        Ok(given) => given,
        Err(refused) => return refused,
    };
    match asked.session.ask(Show { of: id.to_owned(), ..Show::default() }) {
        Ok(reply) => {
            let blocks = blocks(asked.session, std::slice::from_ref(&reply.thread), Shown::Full);
            let mut end: Vec<String> = reply.warnings.iter().map(warning).collect();
            end.push(format!("mark {}", reply.mark));
            page.of(&[], &blocks, &end)
        }
        Err(error) => failed(&error),
    }
}
