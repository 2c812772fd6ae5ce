//! Tells the linker where binaries find libmujoco at run time: where `scripts/setup-mujoco.sh` put it, seen
//! from the checkout and from the target folder, so that a moved tree still runs. Passes the revision to `isochrone --version`.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=MUJOCO_DYNAMIC_LINK_DIR");
    if let Ok(folder) = std::env::var("MUJOCO_DYNAMIC_LINK_DIR") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
    for up in ["../..", "../../.."] {
        println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN/{up}/third_party/mujoco/lib");
    }
    println!("cargo::rerun-if-changed=build.rs");
    // Changes with every commit and with every checkout of another branch.
    if Path::new("../../.git/logs/HEAD").exists() {
        println!("cargo::rerun-if-changed=../../.git/logs/HEAD");
    }
    println!("cargo::rustc-env=ISOCHRONE_REVISION={}", revision());
}

/// The first digits of the commit; "release" where the sources are not a checkout of this repository.
fn revision() -> String {
    let git = ["rev-parse", "--short=12", "HEAD"];
    let is_checkout = Path::new("../../.git").exists();
    let asked = is_checkout.then(|| Command::new("git").args(git).output());
    let answer = asked
        .and_then(Result::ok)
        .filter(|out| out.status.success());
    let digits = answer.and_then(|out| String::from_utf8(out.stdout).ok());
    digits.map_or_else(|| "release".to_owned(), |text| text.trim().to_owned())
}
