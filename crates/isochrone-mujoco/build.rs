//! Tells the linker where binaries find libmujoco at run time: where `scripts/setup-mujoco.sh` put it, seen
//! from the checkout and from the target folder, so that a moved tree still runs. Says what to do when it has not.

fn main() {
    println!("cargo::rerun-if-env-changed=MUJOCO_DYNAMIC_LINK_DIR");
    if let Ok(folder) = std::env::var("MUJOCO_DYNAMIC_LINK_DIR") {
        println!("cargo::rerun-if-changed={folder}");
        if !std::path::Path::new(&folder).join("libmujoco.so").exists() {
            println!("cargo::error=MuJoCo is not in {folder}: run scripts/setup-mujoco.sh once");
        }
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
    for up in ["../..", "../../.."] {
        println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN/{up}/third_party/mujoco/lib");
    }
}
