//! The scripts that bring what is missing, on machines where something is: programs of this desk stand in for
//! those of the system.

use crate::desk::Desk;
use crate::tidy::root;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

/// A copy of a script on a desk, with programs that stand before the system's.
fn desk_with(script: &str, programs: &[(&str, &str)]) -> Desk {
    let desk = Desk::new();
    for folder in ["scripts", "bin"] {
        fs::create_dir(desk.path(folder)).unwrap();
    }
    // The one that others call stands beside them.
    for script in [script, "make-venv.sh"] {
        let script = format!("scripts/{script}");
        fs::copy(root().join(&script), desk.path(&script)).unwrap();
    }
    for (name, body) in programs {
        let name = format!("bin/{name}");
        desk.put(&name, format!("#!/usr/bin/env bash\n{body}\n"));
        fs::set_permissions(desk.path(&name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    desk
}

/// Runs it; what it said, and whether it succeeded.
fn run(desk: &Desk, script: &str, arguments: &[&str]) -> (bool, String) {
    let path = std::env::var("PATH").unwrap();
    let bin = desk.path("bin");
    let output = Command::new("bash")
        .arg(desk.path(&format!("scripts/{script}")))
        .args(arguments)
        .env("PATH", format!("{}:{path}", bin.display()))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.success(), said)
}

/// A desk with the real library and a Python that does as told.
fn mujoco_desk(python: &str) -> Desk {
    let desk = desk_with("setup-mujoco.sh", &[("python3", python)]);
    fs::create_dir_all(desk.path("third_party/mujoco")).unwrap();
    let library = fs::canonicalize(root().join("third_party/mujoco/lib")).unwrap();
    symlink(library, desk.path("third_party/mujoco/lib")).unwrap();
    desk
}

#[test]
fn the_python_package_comes_only_when_asked_for() {
    let desk = mujoco_desk("echo python was asked >&2; exit 1");
    let (ok, said) = run(&desk, "setup-mujoco.sh", &[]);
    assert!(ok && said.is_empty(), "{said}");
    let (ok, said) = run(&desk, "setup-mujoco.sh", &["--with-perl"]);
    assert!(!ok && said.contains("the only option is --with-python"));
}

#[test]
fn a_python_without_environments_is_told() {
    let desk = mujoco_desk("exit 1");
    let (ok, said) = run(&desk, "setup-mujoco.sh", &["--with-python"]);
    assert!(!ok && said.contains("install python3-venv"), "{said}");
    assert!(!desk.path("third_party/mujoco/venv").exists());
}

#[test]
fn half_an_environment_is_removed() {
    let half = r#"[ "$2" = venv ] || exit 0; mkdir -p "$3/bin"; exit 1"#;
    let desk = mujoco_desk(half);
    let (ok, said) = run(&desk, "setup-mujoco.sh", &["--with-python"]);
    assert!(!ok && said.contains("could not be made"), "{said}");
    assert!(!desk.path("third_party/mujoco/venv").exists());
}

#[test]
fn half_the_readers_are_removed() {
    let half = r#"[ "$2" = venv ] || exit 0; mkdir -p "$3/bin"; exit 1"#;
    let desk = desk_with("setup-python-checks.sh", &[("python3", half)]);
    let (ok, said) = run(&desk, "setup-python-checks.sh", &[]);
    assert!(!ok && said.contains("could not be made"), "{said}");
    assert!(!desk.path("third_party/checks/venv").exists());
    let (ok, said) = run(&desk, "setup-python-checks.sh", &["--all"]);
    assert!(!ok && said.contains("unknown: --all"), "{said}");
}

/// A loader that finds these libraries, and an apt-get that has no OSMesa.
fn render_desk(libraries: &str) -> Desk {
    let ldconfig =
        format!("for name in {libraries}; do printf '\\t%s (libc6) => /x\\n' $name; done");
    let apt = r#"echo "apt $*" >>"$(dirname "$0")/../apt.log"; [[ "$*" != *osmesa* ]]"#;
    desk_with(
        "setup-render.sh",
        &[("ldconfig", &ldconfig), ("apt-get", apt), ("id", "echo 0")],
    )
}

#[test]
fn where_there_is_egl_osmesa_can_be_missing() {
    let desk = render_desk("libEGL.so.1 libEGL_mesa.so.0");
    let (ok, said) = run(&desk, "setup-render.sh", &[]);
    assert!(ok && said.contains("through EGL, which is here"), "{said}");
    // What is needed is installed apart from it.
    let desk = render_desk("libc.so.6");
    let (ok, said) = run(&desk, "setup-render.sh", &[]);
    assert!(ok && said.contains("through EGL"), "{said}");
    let asked = desk.text("apt.log");
    let is_egl_alone = |line: &str| line.contains("libegl1") && !line.contains("osmesa");
    assert!(asked.lines().any(is_egl_alone), "{asked}");
}
