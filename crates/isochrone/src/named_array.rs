//! Named arrays: the saved form of parameters, moments and counters.

/// The values of an array, row-major, in their own type.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayValues {
    /// 32-bit floats: parameters, moments, states.
    F32(Vec<f32>),
    /// 64-bit floats: what must keep full precision, such as steps per unit.
    F64(Vec<f64>),
    /// Bytes: pixels.
    U8(Vec<u8>),
    /// Counters.
    U64(Vec<u64>),
}

impl ArrayValues {
    /// Number of values.
    pub const fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::U8(values) => values.len(),
            Self::U64(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of their type: `f32`, `f64`, `u8` or `u64`.
    pub const fn dtype(&self) -> &'static str {
        match self {
            Self::F32(_) => "f32",
            Self::F64(_) => "f64",
            Self::U8(_) => "u8",
            Self::U64(_) => "u64",
        }
    }

    /// Their bytes, little-endian.
    pub fn to_le_bytes(&self) -> Vec<u8> {
        match self {
            Self::F32(values) => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::F64(values) => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::U8(values) => values.clone(),
            Self::U64(values) => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
        }
    }
}

/// An array with a name, a shape and a type.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedArray {
    /// `layer.0.weight`, `adam.1.layer.0.weight`, …
    pub name: String,
    /// The length of each axis; none for a single number.
    pub shape: Vec<usize>,
    /// Row-major.
    pub values: ArrayValues,
}

impl NamedArray {
    /// An array of f32.
    pub fn f32(
        name: impl Into<String>,
        shape: impl Into<Vec<usize>>,
        values: impl Into<Vec<f32>>,
    ) -> Self {
        Self {
            name: name.into(),
            shape: shape.into(),
            values: ArrayValues::F32(values.into()),
        }
    }

    /// Counters in one row.
    pub fn u64(name: impl Into<String>, values: impl Into<Vec<u64>>) -> Self {
        let values = values.into();
        Self {
            name: name.into(),
            shape: vec![values.len()],
            values: ArrayValues::U64(values),
        }
    }

    /// A single f64.
    pub fn number(name: impl Into<String>, value: f64) -> Self {
        Self {
            name: name.into(),
            shape: Vec::new(),
            values: ArrayValues::F64(vec![value]),
        }
    }

    /// The values, if they are f32.
    pub const fn as_f32(&self) -> Option<&[f32]> {
        match &self.values {
            ArrayValues::F32(values) => Some(values.as_slice()),
            ArrayValues::F64(_) | ArrayValues::U8(_) | ArrayValues::U64(_) => None,
        }
    }
}

/// Named arrays that do not fit the network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NamedArrayError {
    /// A missing array.
    #[error("there is no array `{name}`")]
    Missing {
        /// Its name.
        name: String,
    },
    /// A wrong shape.
    #[error("`{name}` is {}, this network's is {}", sizes(.got), sizes(.expected))]
    Shape {
        /// Its name.
        name: String,
        /// Its shape.
        got: Vec<usize>,
        /// Shape expected.
        expected: Vec<usize>,
    },
    /// A wrong type.
    #[error("`{name}` is of type {got}, this network's is of type {expected}")]
    Dtype {
        /// Its name.
        name: String,
        /// Its type.
        got: &'static str,
        /// Type expected.
        expected: &'static str,
    },
    /// The shape and the number of values disagree.
    #[error("`{name}` has {got} values, its shape says {expected}")]
    Length {
        /// Its name.
        name: String,
        /// Values given.
        got: usize,
        /// Values expected.
        expected: usize,
    },
    /// A standard deviation that is not above zero.
    #[error("a value of `{name}` is not above zero")]
    NotAbove {
        /// Its name.
        name: String,
    },
    /// Layers whose shapes do not match.
    #[error("the layers are not a network: {reason}")]
    Layers {
        /// The reason.
        reason: String,
    },
    /// A NaN or infinity.
    #[error("value {at} of `{name}` is not finite")]
    NonFinite {
        /// Its name.
        name: String,
        /// Index of the value.
        at: usize,
    },
}

fn sizes(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    if sizes.is_empty() {
        return "a single number".to_owned();
    }
    sizes.join("×")
}

fn named<'n>(arrays: &'n [NamedArray], name: &str) -> Result<&'n NamedArray, NamedArrayError> {
    let found = arrays.iter().find(|array| array.name == name);
    found.ok_or_else(|| NamedArrayError::Missing {
        name: name.to_owned(),
    })
}

/// The values of the f32 array with this name and shape; all are finite.
pub fn find<'n, const N: usize>(
    arrays: &'n [NamedArray],
    name: &str,
    expected: [usize; N],
) -> Result<&'n [f32], NamedArrayError> {
    let array = named(arrays, name)?;
    let owned = || name.to_owned();
    if array.shape != expected {
        return Err(NamedArrayError::Shape {
            name: owned(),
            got: array.shape.clone(),
            expected: expected.to_vec(),
        });
    }
    let values = array.as_f32().ok_or_else(|| NamedArrayError::Dtype {
        name: owned(),
        got: array.values.dtype(),
        expected: "f32",
    })?;
    let (got, expected) = (values.len(), expected.iter().product());
    if got != expected {
        return Err(NamedArrayError::Length {
            name: owned(),
            got,
            expected,
        });
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(NamedArrayError::NonFinite { name: owned(), at }),
        None => Ok(values),
    }
}

/// The values of the f32 array with this name and this many columns, of any number of rows; all are finite.
pub(crate) fn find_rows<'n>(
    arrays: &'n [NamedArray],
    name: &str,
    columns: usize,
) -> Result<&'n [f32], NamedArrayError> {
    let array = arrays.iter().find(|array| array.name == name);
    let rows = array.and_then(|array| array.shape.first());
    find(arrays, name, [rows.copied().unwrap_or(0), columns])
}

/// All counters with this name, however many.
pub(crate) fn find_u64s<'n>(
    arrays: &'n [NamedArray],
    name: &str,
) -> Result<&'n [u64], NamedArrayError> {
    match &named(arrays, name)?.values {
        ArrayValues::U64(values) => Ok(values),
        other => Err(NamedArrayError::Dtype {
            name: name.to_owned(),
            got: other.dtype(),
            expected: "u64",
        }),
    }
}

/// The `N` counters with this name. Files of version 1 have no u64: there a counter is four f32 of 16 bits each.
pub(crate) fn find_u64<const N: usize>(
    arrays: &[NamedArray],
    name: &str,
) -> Result<[u64; N], NamedArrayError> {
    if let ArrayValues::U64(values) = &named(arrays, name)?.values {
        let counters = values.as_slice().try_into();
        return counters.map_err(|_| NamedArrayError::Shape {
            name: name.to_owned(),
            got: vec![values.len()],
            expected: vec![N],
        });
    }
    let (parts, _) = find(arrays, name, [N, 4])?.as_chunks::<4>();
    Ok(std::array::from_fn(|k| u64_from_f32_parts(parts[k])))
}

/// The counter of four f32 that hold 16 bits each, lowest first.
fn u64_from_f32_parts(parts: [f32; 4]) -> u64 {
    let each = parts.iter().enumerate();
    each.map(|(k, part)| (*part as u64) << (16 * k)).sum()
}
