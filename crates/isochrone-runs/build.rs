//! Tells the linker where binaries find libmujoco at run time: where `scripts/setup-mujoco.sh` put it, seen
//! from the checkout and from the target folder, so that a moved tree still runs.

fn main() {
    println!("cargo::rerun-if-env-changed=MUJOCO_DYNAMIC_LINK_DIR");
    if let Ok(folder) = std::env::var("MUJOCO_DYNAMIC_LINK_DIR") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
    for up in ["../..", "../../.."] {
        println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN/{up}/third_party/mujoco/lib");
    }
}
