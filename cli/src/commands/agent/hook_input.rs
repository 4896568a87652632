//! What an agent tells its stop hook: its session, where it works, and whether a hook made it go on already.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};

use super::known_agent::KnownAgent;

/// A session is taken to have begun so long ago if nothing says when.
const SESSION: Duration = Duration::from_hours(1);

/// No session is taken to be longer than this: what is older is not news.
const LONGEST_SESSION: Duration = Duration::from_hours(24);

/// What an agent tells its stop hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookInput {
    /// Identifies the session; empty if the agent does not say.
    pub session: String,
    /// Where the agent works.
    pub folder: Option<PathBuf>,
    /// Whether a hook made it go on already, and nobody has spoken to it since.
    pub is_going_on: bool,
    /// Whether it stops because it is done, and not because somebody interrupted it.
    pub is_done: bool,
    transcript: Option<PathBuf>,
}

impl HookInput {
    /// Reads what the agent says; each has its own words for the same things.
    pub fn read(agent: KnownAgent, text: &str) -> Result<Self, String> {
        let said: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
        let Value::Object(said) = said else { return Err("not a JSON object".to_owned()) };
        let first = |keys: &[&str]| keys.iter().find_map(|key| said.get(*key).and_then(Value::as_str));
        let folder = first(&["cwd"]).or_else(|| {
            let roots = said.get("workspace_roots").and_then(Value::as_array);
            roots.and_then(|roots| roots.first()).and_then(Value::as_str)
        });
        Ok(Self {
            session: first(&["session_id", "sessionId", "conversation_id"]).unwrap_or_default().to_owned(),
            folder: folder.map(PathBuf::from),
            is_going_on: is_going_on(&said),
            is_done: agent != KnownAgent::Cursor
                || first(&["status"]).is_none_or(|status| status == "completed"),
            transcript: first(&["transcript_path", "transcriptPath"]).map(PathBuf::from),
        })
    }

    /// When the session began, as far as that is known.
    pub fn began(&self, now: SystemTime) -> SystemTime {
        let made = self.transcript.as_ref().and_then(|file| file.metadata().ok()?.created().ok());
        let earliest = now.checked_sub(LONGEST_SESSION).unwrap_or(now);
        made.or_else(|| now.checked_sub(SESSION)).unwrap_or(now).clamp(earliest, now)
    }
}

fn is_going_on(said: &Map<String, Value>) -> bool {
    let active = ["stop_hook_active", "stopHookActive"].iter().find_map(|key| said.get(*key));
    let loops = said.get("loop_count").and_then(Value::as_u64).unwrap_or(0);
    active.and_then(Value::as_bool).unwrap_or(false) || loops > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each agent documents, with fields that nobody here needs.
    const DOCUMENTED: [(KnownAgent, &str); 5] = [
        (
            KnownAgent::Claude,
            r#"{"session_id":"s","transcript_path":"/nowhere/t.jsonl","cwd":"/work","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"done"}"#,
        ),
        (
            KnownAgent::Codex,
            r#"{"session_id":"s","transcript_path":null,"cwd":"/work","hook_event_name":"Stop","model":"m","turn_id":"t","stop_hook_active":true,"last_assistant_message":null}"#,
        ),
        (
            KnownAgent::Copilot,
            r#"{"sessionId":"s","timestamp":1700000000000,"cwd":"/work","transcriptPath":"/nowhere/t","stopReason":"end_turn","stop_hook_active":true}"#,
        ),
        (
            KnownAgent::Gemini,
            r#"{"session_id":"s","transcript_path":"","cwd":"/work","hook_event_name":"AfterAgent","timestamp":"2026-01-05T09:00:00Z","prompt":"p","prompt_response":"r","stop_hook_active":true}"#,
        ),
        (
            KnownAgent::Cursor,
            r#"{"conversation_id":"s","generation_id":"g","hook_event_name":"stop","workspace_roots":["/work"],"status":"completed","loop_count":1}"#,
        ),
    ];

    #[test]
    fn the_documented_input_of_every_agent_is_understood() {
        for (agent, text) in DOCUMENTED {
            let input = HookInput::read(agent, text).unwrap();
            assert_eq!(
                (input.session.as_str(), input.folder.as_deref()),
                ("s", Some("/work".as_ref())),
                "{agent:?}"
            );
            assert!(input.is_going_on && input.is_done, "{agent:?}");
        }
        let stopped = r#"{"conversation_id":"s","status":"aborted","loop_count":0}"#;
        let input = HookInput::read(KnownAgent::Cursor, stopped).unwrap();
        assert!(!input.is_going_on && !input.is_done && input.folder.is_none());
    }

    #[test]
    fn nonsense_is_an_error_and_missing_fields_are_none() {
        for text in ["", "[]", "7", "{", "null"] {
            assert!(HookInput::read(KnownAgent::Claude, text).is_err(), "{text}");
        }
        let input = HookInput::read(KnownAgent::Claude, r#"{"session_id":7,"cwd":[]}"#).unwrap();
        assert!(input.session.is_empty() && input.folder.is_none() && !input.is_going_on);
    }

    #[test]
    fn a_session_began_when_its_transcript_was_made_or_an_hour_ago() {
        let now = SystemTime::now();
        let none = HookInput::read(KnownAgent::Claude, "{}").unwrap();
        assert_eq!(none.began(now), now - SESSION);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t");
        std::fs::write(&file, "").unwrap();
        let told = serde_json::json!({ "transcript_path": file }).to_string();
        let made = HookInput::read(KnownAgent::Claude, &told).unwrap();
        let began = made.began(SystemTime::now());
        assert!(now.duration_since(began).unwrap_or_default() < Duration::from_mins(5), "{began:?}");
        let later = now + Duration::from_hours(72);
        assert_eq!(made.began(later), later - LONGEST_SESSION, "no session is longer");
    }
}
