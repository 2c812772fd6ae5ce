//! EGL: MuJoCo's wrapper does all, except for letting go.

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use mujoco_rs::renderer::MjRenderer;
use std::ffi::c_uint;

/// A surface of EGL's. A context that is current on a thread is not freed, even if it was destroyed and the thread
/// has ended, and its buffers are not either: hundreds of megabytes for a large picture.
pub(in crate::render) struct Egl {
    renderer: Option<Box<MjRenderer>>,
}

impl Egl {
    pub(in crate::render) fn new(renderer: MjRenderer) -> Self {
        Self {
            renderer: Some(Box::new(renderer)),
        }
    }

    /// What draws; there is always one.
    pub(in crate::render) fn renderer(&mut self) -> Option<&mut MjRenderer> {
        self.renderer.as_deref_mut()
    }
}

impl Drop for Egl {
    fn drop(&mut self) {
        self.renderer = None;
        release_thread();
    }
}

/// Makes no context current on this thread. Where that fails, memory is lost and nothing else.
fn release_thread() {
    for name in ["libEGL.so.1", "libEGL.so"] {
        // SAFETY: this library was loaded when the context was opened and stays so; opening counts users.
        let Ok(library) = (unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) }) else {
            continue;
        };
        // SAFETY: the type is that of the EGL 1.2 specification.
        let found =
            unsafe { library.get::<unsafe extern "C" fn() -> c_uint>(b"eglReleaseThread\0") };
        if let Ok(release) = found {
            // SAFETY: it may be called at any time; the only context of this thread was dropped before.
            unsafe { release() };
        }
        return;
    }
}
