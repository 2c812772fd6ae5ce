//! Tells the linker where the module finds libmujoco at run time: beside itself in an installed package, and where
//! `scripts/setup-mujoco.sh` put it in a checkout.

fn main() {
    println!("cargo::rerun-if-env-changed=MUJOCO_DYNAMIC_LINK_DIR");
    println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN");
}
