//! OSMesa: OpenGL into plain memory, for machines where EGL has no device.
//!
//! The library is looked for at run time, so that nothing needs it to be built. MuJoCo finds OpenGL's functions
//! through a symbol of whichever library of that kind is visible in the process, which is why this one is
//! loaded with its symbols visible.

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use mujoco_rs::prelude::{
    MjData, MjModel, MjrContext, MjrRectangle, MjvCamera, MjvOption, MjvPerturb, MjvScene,
};
use std::ffi::{c_int, c_uchar, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

const NAMES: [&str; 3] = ["libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"];
const GL_RGBA: c_uint = 0x1908;
const GL_UNSIGNED_BYTE: c_uint = 0x1401;
const DEPTH_BITS: c_int = 24;
const STENCIL_BITS: c_int = 8;
/// Side of the buffer that a context must have. MuJoCo draws into one of its own, so the smallest will do.
const BUFFER_SIDE_PX: c_int = 16;

type Create = unsafe extern "C" fn(c_uint, c_int, c_int, c_int, *mut c_void) -> *mut c_void;
type MakeCurrent = unsafe extern "C" fn(*mut c_void, *mut c_void, c_uint, c_int, c_int) -> c_uchar;
type Destroy = unsafe extern "C" fn(*mut c_void);

/// The functions needed. The library is never unloaded: MuJoCo keeps pointers into it.
struct Functions {
    create: Create,
    make_current: MakeCurrent,
    destroy: Destroy,
}

impl Functions {
    fn get() -> Result<&'static Self, String> {
        static LOADED: OnceLock<Result<Functions, String>> = OnceLock::new();
        LOADED
            .get_or_init(Self::load)
            .as_ref()
            .map_err(Clone::clone)
    }

    fn load() -> Result<Self, String> {
        let mut reason = String::new();
        for name in NAMES {
            // SAFETY: the initialisers of Mesa's library have no requirements, and it is never unloaded.
            match unsafe { Library::open(Some(name), RTLD_NOW | RTLD_GLOBAL) } {
                Ok(library) => return Self::of_library(&ManuallyDrop::new(library)),
                Err(error) if reason.is_empty() => reason = error.to_string(),
                Err(_) => {}
            }
        }
        Err(reason)
    }

    fn of_library(library: &ManuallyDrop<Library>) -> Result<Self, String> {
        let told = |error: libloading::Error| error.to_string();
        // SAFETY: the types are those of Mesa's header osmesa.h, unchanged since its version 3.5.
        unsafe {
            Ok(Self {
                create: *library.get(b"OSMesaCreateContextExt\0").map_err(told)?,
                make_current: *library.get(b"OSMesaMakeCurrent\0").map_err(told)?,
                destroy: *library.get(b"OSMesaDestroyContext\0").map_err(told)?,
            })
        }
    }
}

/// An OSMesa context with the buffer that it may write to.
struct Context {
    handle: NonNull<c_void>,
    buffer: Vec<u8>,
    functions: &'static Functions,
}

impl Context {
    fn new() -> Result<Self, String> {
        let functions = Functions::get()?;
        let no_list = std::ptr::null_mut();
        // SAFETY: the arguments are legal for this function, which returns null where it fails.
        let handle = unsafe { (functions.create)(GL_RGBA, DEPTH_BITS, STENCIL_BITS, 0, no_list) };
        let side = BUFFER_SIDE_PX as usize;
        let mut context = Self {
            handle: NonNull::new(handle).ok_or("no context could be made")?,
            buffer: vec![0; 4 * side * side],
            functions,
        };
        context.make_current()?;
        Ok(context)
    }

    fn make_current(&mut self) -> Result<(), String> {
        // SAFETY: the handle is alive, and the buffer has four bytes for each pixel and lives as long.
        let answer = unsafe {
            (self.functions.make_current)(
                self.handle.as_ptr(),
                self.buffer.as_mut_ptr().cast(),
                GL_UNSIGNED_BYTE,
                BUFFER_SIDE_PX,
                BUFFER_SIDE_PX,
            )
        };
        if answer == 0 {
            return Err("the context could not be made current".to_owned());
        }
        Ok(())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the handle is alive and used by nobody after this.
        unsafe { (self.functions.destroy)(self.handle.as_ptr()) }
    }
}

/// A surface in memory. Not `Send`, because what it holds is bound to its thread.
pub(in crate::render) struct OsMesa {
    scene: MjvScene,
    camera: MjvCamera,
    options: MjvOption,
    drawing: ManuallyDrop<MjrContext>,
    context: Context,
    viewport: MjrRectangle,
    samples: Vec<u8>,
    flipped: Vec<u8>,
}

impl OsMesa {
    /// A surface of the size that the model asks for.
    pub(in crate::render) fn open(
        model: &MjModel,
        camera: MjvCamera,
        options: MjvOption,
    ) -> Result<Self, String> {
        let context = Context::new()?;
        // SAFETY: the context was just made current on this thread, and is made so again before each use.
        let mut drawing = unsafe { MjrContext::new(model) };
        drawing.offscreen();
        let global = &model.vis().global;
        let viewport = MjrRectangle::new(0, 0, global.offwidth, global.offheight);
        let bytes = 3 * viewport.width as usize * viewport.height as usize;
        Ok(Self {
            scene: MjvScene::new(model, model.ngeom() as usize + model.nsite() as usize + 16),
            camera,
            options,
            drawing: ManuallyDrop::new(drawing),
            context,
            viewport,
            samples: vec![0; bytes],
            flipped: vec![0; bytes],
        })
    }

    /// RGB samples, top row first.
    pub(in crate::render) fn draw(
        &mut self,
        data: &mut MjData<Arc<MjModel>>,
    ) -> Result<&[u8], String> {
        self.context.make_current()?;
        let nobody = MjvPerturb::default();
        self.scene
            .update(data, &self.options, &nobody, &mut self.camera);
        self.scene.render(&self.viewport, &self.drawing);
        self.drawing
            .read_pixels(Some(&mut self.samples), None, &self.viewport)
            .map_err(|error| error.to_string())?;
        let row_bytes = 3 * self.viewport.width as usize;
        let upwards = self.samples.chunks_exact(row_bytes).rev();
        for (to, from) in self.flipped.chunks_exact_mut(row_bytes).zip(upwards) {
            to.copy_from_slice(from);
        }
        Ok(&self.flipped)
    }
}

impl Drop for OsMesa {
    fn drop(&mut self) {
        // MuJoCo frees its buffers in whichever context is current. If ours cannot be, they are left to it.
        if self.context.make_current().is_ok() {
            // SAFETY: dropped once, here, and before the context, which is a field.
            unsafe { ManuallyDrop::drop(&mut self.drawing) }
        }
    }
}
