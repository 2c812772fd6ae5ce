//! Pixels as files: one picture as PNG, several as an animated GIF.

use anyhow::{Context, Result, bail};
use std::path::Path;

/// How pictures are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PictureFormat {
    /// One picture.
    Png,
    /// A film.
    Gif,
}

impl PictureFormat {
    /// As the file's name says.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let ending = path.extension().and_then(|e| e.to_str());
        match ending.unwrap_or_default().to_ascii_lowercase().as_str() {
            "png" => Ok(Self::Png),
            "gif" => Ok(Self::Gif),
            _ => bail!(
                "cannot draw {}: the name must end in .png for a picture or in .gif for a film",
                path.display()
            ),
        }
    }
}

/// Of the search for colours, 1 (best) to 30.
const SPEED: i32 = 10;

/// One picture, RGB, row by row from the top.
pub(crate) fn to_png(width_px: u16, height_px: u16, rgb: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width_px.into(), height_px.into());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut w| {
        w.write_image_data(rgb)?;
        w.finish()
    });
    written.context("cannot encode the picture")?;
    Ok(bytes)
}

/// A film in the making. Each picture is encoded when it comes, and only that is kept: a third of it
/// at most, and usually far less.
pub(crate) struct Film {
    encoder: gif::Encoder<Vec<u8>>,
    width_px: u16,
    height_px: u16,
    frame_cs: u16,
}

impl Film {
    /// Begins a film that is shown over and over, each picture for so many hundredths of a second.
    pub(crate) fn new(width_px: u16, height_px: u16, frame_cs: u16) -> Result<Self> {
        let mut encoder = gif::Encoder::new(Vec::new(), width_px, height_px, &[])?;
        encoder.set_repeat(gif::Repeat::Infinite)?;
        Ok(Self {
            encoder,
            width_px,
            height_px,
            frame_cs,
        })
    }

    /// One more picture. GIF has 256 colours to a picture; each picture chooses its own.
    pub(crate) fn push(&mut self, rgb: &[u8]) -> Result<()> {
        let mut frame = gif::Frame::from_rgb_speed(self.width_px, self.height_px, rgb, SPEED);
        frame.delay = self.frame_cs;
        let written = self.encoder.write_frame(&frame);
        written.context("cannot encode the film")
    }

    /// The file.
    pub(crate) fn finish(self) -> Result<Vec<u8>> {
        let bytes = self.encoder.into_inner();
        bytes.context("cannot encode the film")
    }
}
