//! Images of the crate image. A buffer has the pixels row by row, from the top left on: pixel `(x, y)` is element
//! `y * width + x`.
//!
//! | pixel | element |
//! | --- | --- |
//! | `Luma<T>` | `T` |
//! | `LumaA<T>` | [`Vec2<T>`](Vec2): grey, alpha |
//! | `Rgb<T>` | [`Vec3<T>`](Vec3) |
//! | `Rgba<T>` | [`Vec4<T>`](Vec4) |
//!
//! `T` is a number that the crate image has pixels of: `u8`, `u16` and `f32` among others. Colours are not converted.
//!
//! ```
//! use image::{Rgba, RgbaImage};
//! use samebits::data;
//! use samebits::prelude::*;
//!
//! /// Light becomes dark; alpha stays.
//! #[kernel]
//! fn negative(pixels: &mut [Vec4<u8>]) {
//!     let i = global_id().x;
//!     if i < pixels.len() {
//!         let p = pixels[i];
//!         pixels[i] = Vec4::new(255 - p.x, 255 - p.y, 255 - p.z, p.w);
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let image = RgbaImage::from_pixel(4, 3, Rgba([0, 10, 255, 128]));
//! let mut pixels = data::image::upload(&device, &image)?;
//! negative::launch(&device, pixels.len(), &mut pixels)?;
//! let image: RgbaImage = data::image::read(&pixels, image.width(), image.height())?;
//! assert_eq!(image[(3, 2)], Rgba([255, 245, 0, 128]));
//! # Ok::<(), Error>(())
//! ```

use super::refused;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::element::{Element, Lane, Vec2, Vec3, Vec4};
use crate::error::Error;
use crate::view::Readable;
use ::image::{ImageBuffer, Luma, LumaA, Primitive, Rgb, Rgba};
use bytemuck::Pod;
use std::ops::Deref;

/// The crate image, of the version that these functions speak of.
pub use ::image;

/// A pixel whose channels are the lanes of an element.
///
/// ```
/// use image::Rgb;
/// use samebits::data::image::Pixel;
/// use samebits::prelude::*;
/// assert_eq!(size_of::<<Rgb<u16> as Pixel>::Element>(), size_of::<Vec3<u16>>());
/// ```
///
/// It is implemented for the pixels of the crate image, and for no others.
pub trait Pixel: ::image::Pixel<Subpixel: Lane> + sealed::Sealed {
    /// The element.
    type Element: Element + Pod;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! pixels {
    ($($pixel:ident $element:ty;)*) => { $(
        impl<T: Primitive + Lane> sealed::Sealed for $pixel<T> {}

        impl<T: Primitive + Lane> Pixel for $pixel<T>
        where
            Self: ::image::Pixel<Subpixel = T>,
        {
            type Element = $element;
        }
    )* };
}

pixels! {
    Luma T;
    LumaA Vec2<T>;
    Rgb Vec3<T>;
    Rgba Vec4<T>;
}

/// A buffer that holds a copy of an image's pixels, row by row.
///
/// ```
/// use image::{GrayImage, Luma};
/// use samebits::data;
/// use samebits::prelude::*;
///
/// let image = GrayImage::from_fn(3, 2, |x, y| Luma([(10 * y + x) as u8]));
/// let pixels = data::image::upload(&Device::interpreter(), &image)?;
/// assert_eq!(pixels.read()?, [0, 1, 2, 10, 11, 12]);
/// # Ok::<(), Error>(())
/// ```
pub fn upload<P: Pixel, C: Deref<Target = [P::Subpixel]>>(
    device: &Device,
    image: &ImageBuffer<P, C>,
) -> Result<Buffer<P::Element>, Error> {
    let samples = image.as_flat_samples();
    // An image may own more samples than its pixels have.
    let used = &samples.samples[..image.pixels().len() * usize::from(P::CHANNEL_COUNT)];
    device.upload(bytemuck::cast_slice(used))
}

/// The elements of a buffer or a view as an image of this width and height.
///
/// # Errors
///
/// [`Error::Data`] if the image has another number of pixels, and what a [read](Buffer::read) may fail with.
///
/// ```
/// use image::{LumaA, ImageBuffer};
/// use samebits::data;
/// use samebits::prelude::*;
///
/// let pixels = Device::interpreter().upload(&[Vec2::new(0.5f32, 1.0), Vec2::new(0.25, 0.0)])?;
/// let image: ImageBuffer<LumaA<f32>, _> = data::image::read(&pixels, 1, 2)?;
/// assert_eq!(image[(0, 1)], LumaA([0.25, 0.0]));
/// let error = data::image::read::<LumaA<f32>>(&pixels, 2, 2).unwrap_err();
/// assert_eq!(error.to_string(), "an image of 2 by 2 pixels is not made of 2 elements");
/// # Ok::<(), Error>(())
/// ```
pub fn read<P: Pixel>(
    buffer: &impl Readable<P::Element>,
    width: u32,
    height: u32,
) -> Result<ImageBuffer<P, Vec<P::Subpixel>>, Error> {
    let view = buffer.as_view();
    let wrong = || refused(format!("an image of {width} by {height} pixels is not made of {} elements", view.len()));
    if u64::from(width) * u64::from(height) != view.len() as u64 {
        return Err(wrong());
    }
    let samples = bytemuck::pod_collect_to_vec(&view.read()?);
    ImageBuffer::from_raw(width, height, samples).ok_or_else(wrong)
}
