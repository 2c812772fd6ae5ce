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

/// Pictures of one size, RGB, row by row from the top.
#[derive(Clone, Debug)]
pub(crate) struct Film {
    pub(crate) width_px: u16,
    pub(crate) height_px: u16,
    pub(crate) frames: Vec<Vec<u8>>,
    /// How long each is shown, in hundredths of a second.
    pub(crate) frame_cs: u16,
}

impl Film {
    /// Its last picture.
    pub(crate) fn to_png(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let (width, height) = (self.width_px.into(), self.height_px.into());
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let last = self.frames.last().context("there is no picture")?;
        let written = encoder.write_header().and_then(|mut w| {
            w.write_image_data(last)?;
            w.finish()
        });
        written.context("cannot encode the picture")?;
        Ok(bytes)
    }

    /// All of them, over and over. GIF has 256 colours to a picture; each picture chooses its own.
    pub(crate) fn to_gif(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = gif::Encoder::new(&mut bytes, self.width_px, self.height_px, &[])?;
        encoder.set_repeat(gif::Repeat::Infinite)?;
        for rgb in &self.frames {
            let mut frame = gif::Frame::from_rgb_speed(self.width_px, self.height_px, rgb, SPEED);
            frame.delay = self.frame_cs;
            encoder.write_frame(&frame)?;
        }
        drop(encoder);
        Ok(bytes)
    }
}

/// Of the search for colours, 1 (best) to 30.
const SPEED: i32 = 10;
