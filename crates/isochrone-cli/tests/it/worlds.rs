//! Worlds from the command line: listed, drawn, and measured.

use crate::desk::Desk;

const NAMES: [&str; 10] = [
    "point-mass",
    "point-mass-spiral",
    "point-mass-u",
    "point-mass-room",
    "point-mass-thin-spiral",
    "point-mass-one-way",
    "free-ant",
    "maze-ant",
    "free-ant-fast",
    "maze-ant-fast",
];

#[test]
fn worlds_are_listed_and_told_about() {
    let desk = Desk::new();
    let said = desk.ok("worlds");
    for name in NAMES {
        assert!(
            said.lines()
                .any(|line| line.split(' ').next() == Some(name)),
            "{said}"
        );
    }
    let said = desk.ok("worlds maze-ant");
    for fact in [
        "41 numbers",
        "112 of them",
        "x in -3…7 m",
        "#r..#\n###.#",
        "0.3 m",
    ] {
        assert!(said.contains(fact), "{fact}: {said}");
    }
    for (world, facts) in [
        (
            "thin-spiral",
            ["400 of them", "0.1 m thick", "|.|.|r .|.|\n"],
        ),
        ("one-way", ["192 of them", "pushes with 6 N", "#^###.#\n"]),
    ] {
        let said = desk.ok(&format!("worlds point-mass-{world}"));
        for fact in facts {
            assert!(said.contains(fact), "{fact}: {said}");
        }
    }
    let xml = desk.ok("worlds free-ant --xml");
    assert!(xml.starts_with("<mujoco model=\"ant\">") && xml.ends_with("</mujoco>\n"));
    let said = desk.refused("worlds mazeant");
    assert!(
        said.contains("there is no world `mazeant`; there are point-mass,"),
        "{said}"
    );
}

/// Width, height and the pixels of a PNG file.
fn png(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, info.height, pixels)
}

#[test]
fn worlds_are_drawn() {
    let desk = Desk::new();
    desk.ok("render point-mass -o out/a.png --size 48 --view top");
    let (width, height, start) = png(&desk.read("out/a.png"));
    assert_eq!((width, height), (48, 48));
    // A wall in the corner, floor beside the start, the body at the start.
    let pixel = |pixels: &[u8], x: usize, y: usize| {
        let at = 3 * (y * 48 + x);
        [pixels[at], pixels[at + 1], pixels[at + 2]].map(i32::from)
    };
    let [red, _, blue] = pixel(&start, 1, 1);
    assert!(blue > red + 20, "walls are blue");
    let [red, green, blue] = pixel(&start, 24 + 6, 24);
    assert!(red.min(green).min(blue) > 180, "floor is light");
    let [red, _, blue] = pixel(&start, 24, 24);
    assert!(red > blue + 60, "the body is orange");
    // Random steps move it; the same seed moves it equally.
    for name in ["b", "c"] {
        desk.ok(&format!(
            "render point-mass -o {name}.png --size 48 --view top --steps 150"
        ));
    }
    assert_eq!(desk.read("b.png"), desk.read("c.png"));
    assert_ne!(desk.read("b.png"), desk.read("out/a.png"));
    desk.ok("render point-mass-u -o film.gif --size 32 --steps 20 --goal 4,2");
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let film = desk.read("film.gif");
    let mut decoder = options.read_info(&film[..]).unwrap();
    assert_eq!((decoder.width(), decoder.height()), (32, 32));
    let mut frames = 0;
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!(frame.delay, 4);
        frames += 1;
    }
    assert_eq!(frames, 11);
    let said = desk.refused("render point-mass -o film.mp4");
    assert_eq!(
        said,
        "isochrone: cannot draw film.mp4: the name must end in .png for a picture or in .gif for a film\n"
    );
    let said = desk.refused("render point-mass -o a.png --goal 1;2");
    assert!(
        said.contains("a place is two numbers, x,y in metres"),
        "{said}"
    );
}

/// Without the limit the first would draw for days and ask for six terabytes.
#[test]
fn films_that_nobody_could_open_are_refused() {
    let desk = Desk::new();
    let said = desk.refused("render point-mass -o film.gif --size 2048 --steps 1000000");
    assert_eq!(
        said,
        "isochrone: a film of 500001 pictures of 2048×2048 pixels is too much; \
         take --steps 236 or fewer, or --size 31 or less\n"
    );
    let said = desk.refused("render free-ant -o film.gif --steps 9764");
    assert!(
        said.contains("--steps 9762 or fewer, or --size 319"),
        "{said}"
    );
    assert!(!desk.path("film.gif").exists());
    // One picture after as many steps is no film.
    desk.ok("render point-mass-room -o a.png --size 8 --steps 9764");
}

/// MuJoCo ends the process when it meets an OpenGL of the last century; it must not do so in silence.
#[test]
fn the_engine_says_why_it_ends_the_program() {
    let desk = Desk::new();
    let mut command = desk.command("render point-mass -o y.png --size 32");
    let output = command
        .env("MESA_GL_VERSION_OVERRIDE", "1.1")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with("isochrone: MuJoCo ended the program: ") && said.contains("OpenGL"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(!desk.path("y.png").exists() && !desk.path("MUJOCO_LOG.TXT").exists());
}
