//! The Mandelbrot set in a page, drawn by a kernel in Rust on the browser's GPU.
//!
//! `index.html` has the canvas and the pointer. It gives this module the view, and gets the pixels.

mod paint;

use paint::{View, paint};
use samebits::prelude::*;
use wasm_bindgen::prelude::*;

/// A device and a picture on it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Painter {
    device: Device,
    size: [usize; 2],
    picture: Buffer<u32>,
}

#[wasm_bindgen]
impl Painter {
    /// Opens the browser's GPU, for pictures of this size.
    pub async fn open(width: usize, height: usize) -> Result<Painter, JsError> {
        let device = Device::best_async().await?;
        let picture = device.zeros(width.saturating_mul(height))?;
        Ok(Self { device, size: [width, height], picture })
    }

    /// What the device is called.
    pub fn device(&self) -> String {
        self.device.name().to_owned()
    }

    /// Draws what there is around a number. The result is bytes for an `ImageData`.
    pub async fn paint(&mut self, re: f32, im: f32, span: f32, limit: u32) -> Result<Vec<u8>, JsError> {
        let view = View { middle: [re, im], span, limit };
        paint(&self.device, self.size, &view, &mut self.picture)?;
        // The browser goes on with other things meanwhile.
        let pixels = self.picture.read_async()?.await?;
        Ok(pixels.into_iter().flat_map(u32::to_le_bytes).collect())
    }
}
