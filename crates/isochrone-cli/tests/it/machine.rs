//! What the command says of itself and of the machine, and what it gives shells and manuals.

use crate::desk::Desk;

#[test]
fn the_machine_is_checked() {
    let said = Desk::new().ok("doctor");
    for check in [
        "isochrone",
        "cores",
        "disk",
        "MuJoCo",
        "pictures",
        "Open MPI",
        "MPICH",
        "GPU",
    ] {
        let line = said.lines().find(|line| line.starts_with(check));
        let line = line.unwrap_or_else(|| panic!("no line on {check} in {said}"));
        assert!(
            [" ok ", " missing ", " BAD "]
                .iter()
                .any(|word| line.contains(word)),
            "{line}"
        );
    }
    for check in ["MuJoCo", "pictures"] {
        let line = said.lines().find(|line| line.starts_with(check)).unwrap();
        assert!(line.contains(" ok "), "{line}");
    }
    assert!(said.contains("revision "), "{said}");
}

#[test]
fn every_command_has_a_manual_page_and_is_completed() {
    let desk = Desk::new();
    assert!(desk.ok("man -o pages").contains("manual pages"));
    let page = desk.text("pages/isochrone-fit.1");
    assert!(page.contains("Learn a distance in steps"), "{page}");
    // Every page that a page names is there.
    assert!(
        desk.text("pages/isochrone-sweep.1")
            .contains("isochrone\\-sweep\\-plan")
    );
    assert!(desk.text("pages/isochrone-sweep-plan.1").contains("sweep"));
    for shell in ["bash", "zsh", "fish"] {
        let script = desk.ok(&format!("completions {shell}"));
        assert!(
            ["fit", "assess", "doctor"]
                .iter()
                .all(|command| script.contains(command)),
            "{shell}"
        );
    }
    assert!(desk.refused("completions csh").contains("bash"));
}
