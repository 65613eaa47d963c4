//! What the vocabulary leaves open is widened by a crate outside of the workspace, and what it keeps apart stays apart: ids of
//! different things do not mix, which that crate's own test holds the compiler to.

use std::path::Path;
use std::process::Command;

/// The crate lies in `tests/widening/outside` and has a workspace of its own; its tests run here.
#[test]
fn a_crate_outside_of_the_workspace_widens_every_open_sum() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/widening/outside/Cargo.toml");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    // The crates that it needs are those of this workspace, in the same versions.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    let own = manifest.with_file_name("Cargo.lock");
    std::fs::copy(lock, &own).expect("the lock file can be copied");
    let output = Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--offline", "--manifest-path"])
        .arg(&manifest)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("cargo runs");
    let _ = std::fs::remove_file(own);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    for passed in ["2 passed", "1 passed"] {
        assert!(text(&output.stdout).contains(passed), "{}", text(&output.stdout));
    }
}
