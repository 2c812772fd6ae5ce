//! Reading and writing the files of classes that hold a file's contents.

/// Adds `load`, `of_bytes`, `save` and `to_bytes` to a class around `$contents`.
macro_rules! file_methods {
    ($class:ident, $contents:ty, $ending:expr) => {
        #[pymethods]
        impl $class {
            /// Reads a file.
            #[staticmethod]
            fn load(file: std::path::PathBuf) -> PyResult<Self> {
                let read = <$contents>::read(&file);
                Ok(Self(read.map_err($crate::errors::raise)?.into()))
            }

            /// Reads the bytes of a file.
            #[staticmethod]
            fn of_bytes(bytes: &[u8]) -> PyResult<Self> {
                let read = <$contents>::of_bytes(bytes, std::path::Path::new("the bytes"));
                Ok(Self(read.map_err($crate::errors::raise)?.into()))
            }

            /// Writes a file, whole or not at all.
            fn save(&self, file: std::path::PathBuf) -> PyResult<()> {
                let checked = isochrone_files::output::refuse_other_ending(&file, $ending);
                let written = checked.and_then(|()| self.0.write(&file));
                written.map_err($crate::errors::raise)
            }

            /// The bytes of that file.
            fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
                let bytes = self.0.to_bytes().map_err($crate::errors::raise)?;
                Ok(pyo3::types::PyBytes::new(py, &bytes))
            }
        }
    };
}

pub(crate) use file_methods;
