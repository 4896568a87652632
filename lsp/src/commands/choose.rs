//! Asks a person where a thread belongs, in editors that can ask.

use lsp_server::RequestId;
use postil_client::Session;
use postil_protocol::{Move, MoveTo};
use serde_json::{Value, json};

use crate::asking::worker::{Finished, WorkerTask};
use crate::server::{AskedEditor, Server};
use crate::shown::actions::place_of;
use crate::told::told;

impl Server {
    /// Offers all places that a thread may belong to.
    pub(crate) fn ask_where(&mut self, id: &RequestId, thread: &str) -> Result<(), String> {
        if !self.editor.asks_questions {
            return Err("this editor cannot ask where; choose one of the actions".into());
        }
        let repository = self.repository_with(thread)?;
        let threads = &self.repositories[repository].threads;
        let found = threads.iter().find(|known| known.view.id.as_str() == thread);
        let candidates = found.and_then(|found| found.view.position.as_ref()).map(|at| &at.candidates);
        let places: Vec<String> = candidates.into_iter().flatten().map(place_of).collect();
        let short = found.map(|found| found.view.short.clone()).unwrap_or_default();
        if places.is_empty() {
            return Err("no place was found for this thread".into());
        }
        let choices: Vec<Value> = places.iter().map(|place| json!({ "title": place })).collect();
        let params =
            json!({ "type": 3, "message": format!("Where does {short} belong?"), "actions": choices });
        let asked = AskedEditor::MoveThread { thread: thread.to_owned(), places };
        self.ask_editor(asked, "window/showMessageRequest", params);
        self.reply(id.clone(), Value::Null);
        Ok(())
    }

    /// The person chose a place, or none.
    pub(crate) fn move_to_chosen(&mut self, thread: String, places: &[String], answer: &Value) {
        let chosen = places.iter().position(|place| answer["title"] == place.as_str());
        let Some(nth) = chosen.and_then(|nth| u32::try_from(nth).ok()) else { return };
        let Ok(repository) = self.repository_with(&thread) else { return };
        let (buffers, _) = self.buffers(repository);
        let work = move |session: &mut Session| -> Finished {
            let moved = session.write(Move { of: thread, to: MoveTo::Candidate(nth + 1) });
            Box::new(move |server: &mut Server| {
                if let Err(error) = moved {
                    server.complain(&told(&error));
                }
                server.look_again(repository);
            })
        };
        self.repositories[repository].ask(buffers, WorkerTask::Write(Box::new(work)));
    }
}
