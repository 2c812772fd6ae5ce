//! Tells the linker where the module finds libmujoco at run time: beside itself, where `scripts/place-engine.sh` puts it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN");
}
