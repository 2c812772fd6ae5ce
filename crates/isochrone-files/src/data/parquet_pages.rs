//! Bytes and pages of a Parquet file, held to what the file says about itself.
//!
//! The reader below trusts lengths written in the file and asks for that much memory. A damaged length must be an
//! error, not a request for terabytes: the system would end the process.

use bytes::Bytes;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// A file that is never asked for bytes it does not have.
pub(super) struct CheckedFile {
    file: File,
    length: u64,
}

impl CheckedFile {
    pub(super) fn new(file: File) -> std::io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file, length })
    }

    fn at(&self, start: u64) -> Result<File> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(file)
    }
}

impl Length for CheckedFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for CheckedFile {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        // Page headers are a few dozen bytes; the pages themselves come through `get_bytes`.
        Ok(BufReader::with_capacity(512, self.at(start)?))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF(format!(
                "{length} bytes are promised at {start}, but the file ends at {}",
                self.length
            )));
        }
        let mut bytes = vec![0_u8; length];
        self.at(start)?.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// The pages of a column of numbers, which hold together no more values than the column says.
pub(super) struct CheckedPages {
    pages: Box<dyn PageReader>,
    values_left: u64,
}

impl CheckedPages {
    pub(super) fn new(pages: Box<dyn PageReader>, values: u64) -> Self {
        Self {
            pages,
            values_left: values,
        }
    }

    fn check(&mut self, page: &Page) -> Result<()> {
        let values = u64::from(page.num_values());
        if page.is_dictionary_page() {
            // A number takes at least four bytes.
            if values * 4 > page.buffer().len() as u64 {
                return Err(ParquetError::General(format!(
                    "a dictionary of {values} values takes more than its page"
                )));
            }
            return Ok(());
        }
        match self.values_left.checked_sub(values) {
            Some(left) => self.values_left = left,
            None => {
                return Err(ParquetError::General(format!(
                    "a page holds {values} values, {} are left in its column",
                    self.values_left
                )));
            }
        }
        Ok(())
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            self.check(page)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}
