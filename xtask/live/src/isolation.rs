//! A network namespace with nothing but loopback: an agent inside reaches this machine's own servers of the same
//! namespace, and nobody else.

use std::fs;
use std::process::Command;

/// The interfaces of this process's network, by their names.
fn interfaces() -> Result<Vec<String>, String> {
    let text =
        fs::read_to_string("/proc/self/net/dev").map_err(|error| format!("/proc/self/net/dev: {error}"))?;
    let names = text.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name.trim().to_owned());
    Ok(names.collect())
}

/// Whether there is no network but loopback.
///
/// # Errors
///
/// When that cannot be told.
pub fn is_isolated() -> Result<bool, String> {
    // Without an interface of its own, whatever the routes and the settings are, nothing leaves.
    Ok(interfaces()? == ["lo"])
}

/// Puts loopback into service, which it is not in a new namespace.
///
/// # Errors
///
/// When it cannot be.
pub fn start_loopback() -> Result<(), String> {
    let done = Command::new("ip").args(["link", "set", "lo", "up"]).status();
    match done {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`ip link set lo up` {status}")),
        Err(error) => Err(format!("`ip` (of iproute2): {error}")),
    }
}

/// Runs a command in a namespace of its own. Its exit code.
///
/// # Errors
///
/// When there is no such namespace to be had; nothing was run then.
pub fn run_inside(command: &mut Command) -> Result<i32, String> {
    let program = command.get_program().to_owned();
    let arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let mut inside = Command::new("unshare");
    // For whoever is not root, a user namespace gives the right to make the other one.
    inside.args(["--net", "--map-root-user", "--"]).arg(program).args(arguments);
    let status = inside.status().map_err(|error| format!("`unshare` (of util-linux): {error}"))?;
    status.code().ok_or_else(|| format!("the run {status}"))
}
