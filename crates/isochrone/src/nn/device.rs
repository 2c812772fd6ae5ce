//! Where tensors are: on the CPU, or on a GPU for the whole process.
//!
//! Tests, goldens and reproducible runs are all on the CPU. A GPU adds in an order of its own, so its results are not equal to the byte.

use burn::tensor::Device;
use std::sync::OnceLock;

/// Why there is no GPU to compute on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// A build without the feature `gpu`.
    #[error("this program was built without support for GPUs")]
    NotBuilt,
    /// No adapter.
    #[error("no GPU was found: {0}")]
    NotFound(String),
}

static GPU: OnceLock<Device> = OnceLock::new();

/// The device, with gradients.
pub(super) fn device() -> Device {
    GPU.get().map_or_else(Device::flex, Clone::clone).autodiff()
}

/// Whether tensors are on a GPU.
#[cfg_attr(
    not(feature = "gpu"),
    expect(dead_code, reason = "asked only where there may be one")
)]
pub(super) fn is_gpu() -> bool {
    GPU.get().is_some()
}

/// Computes on a GPU from now on: networks that are made later, in the whole process.
///
/// Call it first: tensors of two devices cannot be combined.
#[cfg(feature = "gpu")]
pub fn use_gpu() -> Result<(), GpuError> {
    if GPU.get().is_some() {
        return Ok(());
    }
    let found = Device::wgpu_options().init();
    let device = found.map_err(|error| GpuError::NotFound(error.to_string()))?;
    // If another thread was first, its device is as good.
    let _ = GPU.set(device);
    Ok(())
}

/// Computes on a GPU from now on; this build cannot.
#[cfg(not(feature = "gpu"))]
pub const fn use_gpu() -> Result<(), GpuError> {
    Err(GpuError::NotBuilt)
}
