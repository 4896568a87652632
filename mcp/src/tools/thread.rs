//! `thread`: one thread as a whole.

use postil_compact::{compact_show, list_text, plain_path};
use postil_protocol::Show;

use super::arguments::ToolArguments;
use super::failing::failed;
use super::pages::AnswerPage;
use super::review_tools::Asked;
use crate::wire::toolbox::ToolAnswer;

pub(super) fn thread(asked: &mut Asked<'_>) -> ToolAnswer {
    let arguments = ToolArguments::of(&asked.call.arguments, &["id", "cursor"]);
    let given = arguments.and_then(|arguments| Ok((arguments.needed("id")?, AnswerPage::asked(arguments)?)));
    let (id, page) = match given {
        Ok(given) => given,
        Err(refused) => return refused,
    };
    match asked.session.ask(Show { of: id.to_owned(), ..Show::default() }) {
        Ok(reply) => page.of(&list_text(&compact_show(&reply), &plain_path)),
        Err(error) => failed(&error),
    }
}
