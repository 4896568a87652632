//! Real clients connect to `postil mcp`: what `.ci/install-agents` installed.

use std::path::PathBuf;
use std::process::Command;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, World};

/// Where the clients are; `None` where they could not be had.
fn installed(part: &str) -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let folder = std::env::var_os("POSTIL_AGENTS").map(PathBuf::from);
    let folder = folder.or_else(|| home.map(|home| home.join(".cache/postil-agents")))?.join(part);
    folder.join("ready").exists().then_some(folder)
}

fn alice(world: &World) -> Checkout<'_> {
    let alice = world.repository("alice");
    // Clients do not hand the environment on: no daemon may start outside of this world, or outlive it.
    alice.git("config --global postil.daemon off");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    alice
}

/// A program of npm, with the Node that was installed beside it.
fn npm(folder: &std::path::Path, alice: &Checkout<'_>, program: &str) -> Command {
    let bin = folder.join("node_modules/.bin");
    let mut command = alice.command(bin.join("node"));
    let path = std::env::var("PATH").unwrap_or_default();
    command
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("POSTIL_DAEMON", "off")
        .arg(bin.join(program));
    command
}

#[test]
fn the_inspector_finds_nothing_wrong_in_both_eras() {
    let Some(folder) = installed("npm") else {
        return postil_testkit::skipped("the inspector (.ci/install-agents)");
    };
    let world = World::new();
    let alice = alice(&world);
    for era in ["legacy", "modern"] {
        let mut list = npm(&folder, &alice, "mcp-inspector");
        list.args(["--cli", "--protocol-era", era, "--method", "tools/list", "--strict", POSTIL, "mcp"]);
        let told = Finished::run(&mut list).code(0).stdout();
        assert!(told.contains("\"preview\""), "{era}: {told}");
        let mut call = npm(&folder, &alice, "mcp-inspector");
        call.args([
            "--cli",
            "--protocol-era",
            era,
            "--method",
            "tools/call",
            "--tool-name",
            "threads",
            POSTIL,
            "mcp",
        ]);
        let told = Finished::run(&mut call).code(0).stdout();
        assert!(told.contains("why two?"), "{era}: {told}");
    }
}

#[test]
fn the_python_client_calls_a_tool_in_both_eras() {
    let Some(folder) = installed("python") else {
        return postil_testkit::skipped("the Python client (.ci/install-agents)");
    };
    let world = World::new();
    let alice = alice(&world);
    let script = r#"
import asyncio, sys
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

async def main(mode):
    server = StdioServerParameters(command=sys.argv[1], args=["mcp"], env={"POSTIL_DAEMON": "off", "HOME": sys.argv[2]})
    async with Client(stdio_client(server), mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        told = await client.call_tool("threads", {})
        print(mode, client.protocol_version, tools, told.content[0].text)

for mode in ["legacy", "auto"]:
    asyncio.run(main(mode))
"#;
    let mut command = alice.command("python3");
    command.env("PYTHONPATH", &folder).args(["-c", script, POSTIL]).arg(world.home());
    let told = Finished::run(&mut command).code(0).stdout();
    assert!(told.contains("legacy 2025-11-25 ") && told.contains("auto 2026-07-28 "), "{told}");
    assert_eq!(told.matches("why two?").count(), 2, "{told}");
}

#[test]
fn gemini_connects() {
    let Some(folder) = installed("npm") else {
        return postil_testkit::skipped("Gemini CLI (.ci/install-agents)");
    };
    let world = World::new();
    let alice = alice(&world);
    let settings = serde_json::json!({ "mcpServers": { "postil": { "command": POSTIL, "args": ["mcp"] } } });
    let trusted = serde_json::json!({ alice.folder.display().to_string(): "TRUST_FOLDER" });
    let home = world.home().join(".gemini");
    std::fs::create_dir_all(&home).expect("a home can be written");
    std::fs::write(home.join("settings.json"), settings.to_string()).expect("a home can be written");
    std::fs::write(home.join("trustedFolders.json"), trusted.to_string()).expect("a home can be written");
    let ended = Finished::run(npm(&folder, &alice, "gemini").args(["mcp", "list"]));
    let told = ended.stdout() + &ended.stderr();
    assert!(told.contains("postil") && told.contains("Connected"), "{told}");
}

#[test]
fn opencode_connects() {
    let Some(folder) = installed("npm") else {
        return postil_testkit::skipped("opencode (.ci/install-agents)");
    };
    let world = World::new();
    let alice = alice(&world);
    let server = serde_json::json!({ "type": "local", "command": [POSTIL, "mcp"], "enabled": true });
    let settings =
        serde_json::json!({ "autoupdate": false, "share": "disabled", "mcp": { "postil": server } });
    alice.write("opencode.json", settings.to_string());
    let mut command = alice.command(folder.join("node_modules/.bin/opencode"));
    for nothing in ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"] {
        command.env(format!("OPENCODE_DISABLE_{nothing}"), "1");
    }
    let ended = Finished::run(command.args(["mcp", "list"]));
    let told = ended.stdout() + &ended.stderr();
    assert!(told.contains("postil") && told.contains("connected") && !told.contains("failed"), "{told}");
}

#[test]
fn the_skill_is_valid() {
    let Some(folder) = installed("npm") else {
        return postil_testkit::skipped("skills-ref (.ci/install-agents)");
    };
    let world = World::new();
    let alice = alice(&world);
    let skill = alice.postil("agent skill").code(0).stdout();
    assert!(skill.contains(env!("CARGO_PKG_VERSION")), "it matches this version");
    alice.write("postil-review/SKILL.md", &skill);
    Finished::run(npm(&folder, &alice, "skills-ref").args(["validate", "postil-review"])).code(0);
}
