//! Tells the linker where the module finds libmujoco at run time: beside itself, where `scripts/place-engine.sh` puts it.

fn main() {
    println!("cargo::rerun-if-env-changed=MUJOCO_DYNAMIC_LINK_DIR");
    println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN");
}
