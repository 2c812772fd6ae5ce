//! A column of PNG images, as LeRobot stores them: a struct with the file's bytes or, where those are absent, its path.

use super::block::{MAX_WIDTH, Values};
use super::error::{DataError, Place, one_line};
use super::parquet_leaf::Levels;
use isochrone::env::Dtype;
use parquet::column::page::PageReader;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::errors::Result as ParquetResult;
use parquet::schema::types::ColumnDescPtr;
use png::{ColorType, Decoder, Limits, Transformations};
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Seek};
use std::path::{Path, PathBuf};

/// Bytes that a decoder may ask for: four channels of the widest state, and as much again.
const DECODER_BYTES: usize = 8 * MAX_WIDTH;
/// Folders above a data file in which paths may begin: those of `FOLDER/data/chunk-000/file-000.parquet`.
const FOLDERS: usize = 3;

/// Height, width and channels.
pub(super) type Shape = [usize; 3];

/// Images being read, within one row group.
pub(super) struct ImageLane {
    bytes: Strings,
    paths: Strings,
}

/// Which rows are read, for errors and for paths beside the file.
pub(super) struct ImageRows<'a> {
    pub(super) file: &'a Path,
    /// The number of the first row.
    pub(super) first: u64,
    pub(super) rows: usize,
    pub(super) column: &'a str,
}

/// An image, row by row of pixels.
#[derive(Debug, PartialEq, Eq)]
struct Image {
    shape: Shape,
    bytes: Vec<u8>,
}

impl ImageLane {
    pub(super) fn new(
        bytes: (ColumnDescPtr, Box<dyn PageReader>),
        paths: (ColumnDescPtr, Box<dyn PageReader>),
    ) -> Self {
        Self {
            bytes: Strings::new(bytes),
            paths: Strings::new(paths),
        }
    }

    /// The images of the next rows, all of one shape; `None` if the column ends before.
    pub(super) fn read(
        &mut self,
        of: &ImageRows<'_>,
        known: Option<Shape>,
    ) -> Result<Option<(Vec<u8>, Shape)>, DataError> {
        let read = |strings: &mut Strings| strings.read(of.rows).map_err(|error| of.broken(&error));
        let (Some(bytes), Some(paths)) = (read(&mut self.bytes)?, read(&mut self.paths)?) else {
            return Ok(None);
        };
        let (mut all, mut shape) = (Vec::new(), known);
        for (row, source) in bytes.into_iter().zip(paths).enumerate() {
            let image = of.image(row, source)?;
            let expected = *shape.get_or_insert(image.shape);
            if image.shape != expected {
                let [got, expected] = [image.shape, expected].map(shown);
                let reason = format!("it has {got} numbers, those before it {expected}");
                return Err(of.bad(row, reason));
            }
            all.extend(image.bytes);
        }
        Ok(shape.map(|shape| (all, shape)))
    }
}

impl ImageRows<'_> {
    fn image(
        &self,
        row: usize,
        source: (Option<ByteArray>, Option<ByteArray>),
    ) -> Result<Image, DataError> {
        let image = match source {
            (Some(bytes), _) => decode(Cursor::new(bytes.data())),
            (None, Some(path)) => {
                let path = image_file(self.file, &String::from_utf8_lossy(path.data()));
                let opened = File::open(&path);
                let opened = opened.map_err(one_line);
                let decoded = opened.and_then(|file| decode(BufReader::new(file)));
                decoded.map_err(|reason| format!("{}: {reason}", path.display()))
            }
            (None, None) => {
                return Err(DataError::Null {
                    file: self.file.to_owned(),
                    place: self.place(row),
                    column: self.column.to_owned(),
                });
            }
        };
        image.map_err(|reason| self.bad(row, reason))
    }

    fn place(&self, row: usize) -> Place {
        Place::Row(self.first + row as u64)
    }

    fn bad(&self, row: usize, reason: String) -> DataError {
        DataError::BadImage {
            file: self.file.to_owned(),
            place: self.place(row),
            column: self.column.to_owned(),
            reason,
        }
    }

    fn broken(&self, error: &parquet::errors::ParquetError) -> DataError {
        super::parquet_table::damaged(self.file, one_line(error))
    }
}

/// Bytes as entries of a state.
pub(super) fn as_values(bytes: Vec<u8>, dtype: Dtype) -> Values {
    match dtype {
        Dtype::U8 => Values::U8(bytes),
        Dtype::F32 => Values::F32(bytes.into_iter().map(f32::from).collect()),
    }
}

/// A column of strings that may be absent.
struct Strings {
    column: ColumnReaderImpl<ByteArrayType>,
    highest: i16,
}

impl Strings {
    fn new((descriptor, pages): (ColumnDescPtr, Box<dyn PageReader>)) -> Self {
        Self {
            highest: descriptor.max_def_level(),
            column: ColumnReaderImpl::new(descriptor, pages),
        }
    }

    /// The next rows; `None` if there are fewer.
    fn read(&mut self, rows: usize) -> ParquetResult<Option<Vec<Option<ByteArray>>>> {
        let (mut levels, mut stored) = (Levels::default(), Vec::new());
        let (read, ..) =
            self.column
                .read_records(rows, Some(&mut levels.definition), None, &mut stored)?;
        if read != rows {
            return Ok(None);
        }
        if self.highest == 0 {
            return Ok(Some(stored.into_iter().map(Some).collect()));
        }
        let mut stored = stored.into_iter();
        let levels = levels.definition.iter();
        let strings = levels.map(|level| (*level == self.highest).then(|| stored.next()).flatten());
        Ok(Some(strings.collect()))
    }
}

/// Where an image is: paths begin at the data set's folder, or beside the data file.
fn image_file(data_file: &Path, path: &str) -> PathBuf {
    let folders = data_file.ancestors().skip(1).take(FOLDERS);
    let places = folders.map(|folder| folder.join(path));
    let mut places = places.filter(|place| place.is_file());
    places.next().unwrap_or_else(|| PathBuf::from(path))
}

fn shown(shape: Shape) -> String {
    shape.map(|side| side.to_string()).join("×")
}

/// Reads a PNG file. Palettes become colours, 16 bits 8; transparency is dropped.
fn decode(source: impl BufRead + Seek) -> Result<Image, String> {
    let limits = Limits {
        bytes: DECODER_BYTES,
    };
    let mut decoder = Decoder::new_with_limits(source, limits);
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(one_line)?;
    let size = reader.output_buffer_size();
    let size = size.filter(|size| *size <= DECODER_BYTES);
    let mut pixels = vec![0; size.ok_or("it is too large")?];
    let info = reader.next_frame(&mut pixels).map_err(one_line)?;
    pixels.truncate(info.buffer_size());
    let (stored, channels) = match info.color_type {
        ColorType::Grayscale | ColorType::Indexed => (1, 1),
        ColorType::GrayscaleAlpha => (2, 1),
        ColorType::Rgb => (3, 3),
        ColorType::Rgba => (4, 3),
    };
    let shape = [info.height as usize, info.width as usize, channels];
    if pixels.len() / stored * channels > MAX_WIDTH {
        return Err(format!("its {} numbers are too many", shown(shape)));
    }
    if stored != channels {
        let opaque = pixels
            .chunks_exact(stored)
            .flat_map(|pixel| &pixel[..channels]);
        pixels = opaque.copied().collect();
    }
    Ok(Image {
        shape,
        bytes: pixels,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Columns, DataSource};
    use super::*;
    use parquet::data_type::Int64Type;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use proptest::prelude::*;
    use std::sync::Arc;

    const SCHEMA: &str = "message schema {
        optional group observation.images.top { optional binary bytes; optional binary path (STRING); }
        required int64 episode_index;
    }";

    fn png(width: u32, height: u32, color: ColorType, pixels: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(color);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(pixels).unwrap();
        writer.finish().unwrap();
        bytes
    }

    /// Writes rows of one episode as LeRobot does.
    fn write(file: &Path, images: &[Option<Vec<u8>>], paths: &[Option<&str>]) {
        let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
        let properties = Arc::new(WriterProperties::builder().build());
        let sink = File::create(file).unwrap();
        let mut writer = SerializedFileWriter::new(sink, schema, properties).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let paths = paths
            .iter()
            .map(|path| path.map(|path| path.as_bytes().to_vec()));
        for strings in [images.to_vec(), paths.collect()] {
            let levels: Vec<i16> = strings.iter().map(|s| 1 + i16::from(s.is_some())).collect();
            let strings: Vec<ByteArray> = strings.into_iter().flatten().map(Into::into).collect();
            let mut column = group.next_column().unwrap().unwrap();
            let typed = column.typed::<ByteArrayType>();
            typed.write_batch(&strings, Some(&levels), None).unwrap();
            column.close().unwrap();
        }
        let mut column = group.next_column().unwrap().unwrap();
        let episodes = vec![0; images.len()];
        let typed = column.typed::<Int64Type>();
        typed.write_batch(&episodes, None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
    }

    fn read(file: &Path) -> Result<Vec<f32>, String> {
        let columns = Columns {
            state: vec!["observation.images.top".to_owned()],
            ..Columns::default()
        };
        let patterns = [file.display().to_string()];
        let source = DataSource::open(&patterns, columns).map_err(|error| error.to_string())?;
        let mut all = Vec::new();
        for piece in source.pieces(10.try_into().unwrap()) {
            all.extend(
                piece
                    .map_err(|error| error.to_string())?
                    .states
                    .numbers()
                    .iter(),
            );
        }
        Ok(all)
    }

    #[test]
    fn images_are_read_from_the_table_or_from_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data").join("chunk-000");
        std::fs::create_dir_all(&data).unwrap();
        let file = data.join("file-000.parquet");
        let [first, second] = [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]];
        let [inside, beside] = [first, second].map(|pixels| png(2, 1, ColorType::Rgb, &pixels));
        std::fs::write(folder.path().join("b.png"), beside).unwrap();
        write(
            &file,
            &[Some(inside.clone()), None],
            &[Some("a.png"), Some("b.png")],
        );
        let expected = first.into_iter().chain(second).map(f32::from);
        assert_eq!(read(&file), Ok(expected.collect()));

        let shown = file.display();
        let refused = |images: &[Option<Vec<u8>>], paths: &[Option<&str>]| {
            write(&file, images, paths);
            read(&file).unwrap_err()
        };
        let column = "column \"observation.images.top\"";
        let wide = png(3, 1, ColorType::Rgb, &[0; 9]);
        assert_eq!(
            refused(&[Some(inside.clone()), Some(wide)], &[None, None]),
            format!(
                "{shown}, row 1, {column}: the image cannot be used: it has 1×3×3 numbers, those before it 1×2×3"
            )
        );
        assert_eq!(
            refused(&[None], &[None]),
            format!("{shown}, row 0, {column}: there is no value")
        );
        let said = refused(&[Some(inside), None], &[None, Some("c.png")]);
        assert!(
            said.ends_with(
                "the image cannot be used: c.png: No such file or directory (os error 2)"
            ) && said.contains("row 1"),
            "{said}"
        );
        let said = refused(&[Some(b"JFIF".to_vec())], &[None]);
        assert!(
            said.contains("row 0") && said.contains("cannot be used"),
            "{said}"
        );
    }

    proptest! {
        /// Whatever its channels, an image has the numbers it was made of, without transparency.
        #[test]
        fn png_files_have_their_pixels(
            width in 1_u32..9,
            height in 1_u32..9,
            kind in 0_usize..4,
            seed in prop::collection::vec(any::<u8>(), 4 * 64),
        ) {
            let (color, stored, channels) = [
                (ColorType::Grayscale, 1, 1),
                (ColorType::GrayscaleAlpha, 2, 1),
                (ColorType::Rgb, 3, 3),
                (ColorType::Rgba, 4, 3),
            ][kind];
            let pixels = &seed[..(width * height) as usize * stored];
            let image = decode(Cursor::new(png(width, height, color, pixels)));
            let opaque = pixels.chunks(stored).flat_map(|pixel| &pixel[..channels]);
            prop_assert_eq!(image, Ok(Image {
                shape: [height as usize, width as usize, channels],
                bytes: opaque.copied().collect(),
            }));
        }

        /// Damaged files are refused, or read as an image of the size they tell.
        #[test]
        fn damage_does_not_panic(at in 0_usize..60, byte in any::<u8>()) {
            let mut file = png(3, 2, ColorType::Rgb, &[7; 18]);
            let at = at % file.len();
            file[at] = byte;
            if let Ok(image) = decode(Cursor::new(file)) {
                prop_assert_eq!(image.shape.iter().product::<usize>(), image.bytes.len());
            }
        }
    }
}
