//! The files by which a service manager knows the daemon, made for this installation.
//!
//! They are the ones in `systemd/` and `launchd/`; only the path of the program is another.

use std::path::Path;

/// The path of the program in the files as they are shipped.
const SHIPPED: &str = "%h/.cargo/bin/postil";

/// The same in the property list, which knows no `%h`.
const SHIPPED_PLIST: &str = "/usr/local/bin/postil";

/// The socket of the user service.
pub const SOCKET: &str = include_str!("../../../../systemd/postil.socket");

/// The user service, for the program at `program`.
pub fn service(program: &Path) -> String {
    // systemd takes `%` for the beginning of a specifier, and splits words at blanks unless they are quoted.
    let path = program.display().to_string().replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    include_str!("../../../../systemd/postil.service").replace(SHIPPED, &format!("\"{path}\""))
}

/// The property list of the agent, for the program at `program`.
pub fn property_list(program: &Path) -> String {
    let path = program.display().to_string().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    include_str!("../../../../launchd/postil.plist").replace(SHIPPED_PLIST, &path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_files_name_the_program_where_it_is_replaced() {
        let program = Path::new("/opt/my tools/100%/postil");
        let service = service(program);
        assert!(service.contains("ExecStart=\"/opt/my tools/100%%/postil\" daemon run\n"), "{service}");
        let list = property_list(Path::new("/a&b/postil"));
        assert!(list.contains("<string>/a&amp;b/postil</string>"), "{list}");
    }
}
