//! The channels of a layer, ordered anew: one of each group in turn, so that groups mix.
//!
//! A layer has images, channels and pixels. If channels are apart, an invocation copies a number from channel to channel.
//! If the channels of a pixel are together, a workgroup loads a pixel into workgroup memory and stores it in the new
//! order.
//!
//! Sizes: 1 and 4 images of 32, 128 and 512 channels in two groups, with 224 × 224 pixels of `f32`.
//! What differs: 16 and 64 images are left out, as they need more than 2 GiB; and with them the form of the first kernel for more
//! than 65,535 images.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::prelude::*;

/// Each channel's pixels lie together. The grid has pixels, images and channels.
#[kernel(workgroup_size(256), requires(y.len() == x.len()))]
pub(crate) fn shuffle_planes(groups: usize, channels: usize, pixels: usize, x: &[f32], y: &mut [f32]) {
    let (image, channel, pixel) = (workgroup_id().y, workgroup_id().z, global_id().x);
    let (group, member) = (channel % groups, channel / groups);
    if pixel < pixels && channel < channels {
        let from = group * (channels / groups) + member;
        y[(image * channels + channel) * pixels + pixel] = x[(image * channels + from) * pixels + pixel];
    }
}

/// Each pixel's channels lie together; a workgroup for each pixel.
#[kernel(workgroup_size(256), instances(CHANNELS = [32, 128, 512]), requires(y.len() == x.len()))]
pub(crate) fn shuffle_pixels<const CHANNELS: usize>(groups: usize, x: &[f32], y: &mut [f32]) {
    #[shared]
    let pixel: [f32; CHANNELS];
    let first = workgroup_id().x * CHANNELS;
    for i in (local_id().x..CHANNELS).step_by(256) {
        pixel[i] = x[first + i];
    }
    workgroup_barrier();
    for i in (local_id().x..CHANNELS).step_by(256) {
        y[first + i] = pixel[i % groups * (CHANNELS / groups) + i / groups];
    }
}

const GROUPS: usize = 2;

/// The number of images, of channels and of pixels, and the layer's numbers.
fn inputs(scale: Scale) -> Vec<([usize; 3], Vec<f32>)> {
    let (most, channels, pixels) = scale.of((1, &[32, 128][..], 10), (4, &[32, 128, 512], 224 * 224));
    let mut random = Random::new(8);
    let sizes = [1, 4].into_iter().filter(|images| *images <= most);
    let sizes = sizes.flat_map(|images| channels.iter().map(move |channels| [images, *channels, pixels]));
    sizes.map(|size| (size, random.units(size.iter().product()))).collect()
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let mut layers = Vec::new();
    for (size, x) in inputs(scale) {
        layers.push((size, device.upload(&x)?, [device.zeros::<f32>(x.len())?, device.zeros(x.len())?]));
    }
    Ok(Job::new(["planes", "pixels"], move |mut ask| {
        for (size, x, [planes, together]) in &mut layers {
            let [images, channels, pixels] = *size;
            match &mut ask {
                Ask::Step(0) => {
                    let grid = (pixels, images, channels);
                    shuffle_planes::launch(device, grid, GROUPS, channels, pixels, x, planes)?;
                }
                Ask::Step(_) => {
                    let grid = Grid::groups(images * pixels, 1, 1);
                    match channels {
                        32 => shuffle_pixels::launch::<32>(device, grid, GROUPS, x, together)?,
                        128 => shuffle_pixels::launch::<128>(device, grid, GROUPS, x, together)?,
                        _ => shuffle_pixels::launch::<512>(device, grid, GROUPS, x, together)?,
                    }
                }
                Ask::Answer(answer) => {
                    answer.add(format!("planes of {size:?}"), &planes.read()?);
                    answer.add(format!("pixels of {size:?}"), &together.read()?);
                }
            }
        }
        Ok(())
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let mut answer = Answer::default();
    for (size @ [images, channels, pixels], x) in inputs(scale) {
        let (mut planes, mut together) = (x.clone(), x.clone());
        for image in 0..images {
            for group in 0..GROUPS {
                for member in 0..channels / GROUPS {
                    let (from, to) = (group * (channels / GROUPS) + member, member * GROUPS + group);
                    for pixel in 0..pixels {
                        let plane = |channel| (image * channels + channel) * pixels + pixel;
                        planes[plane(to)] = x[plane(from)];
                        let place = |channel| (image * pixels + pixel) * channels + channel;
                        together[place(to)] = x[place(from)];
                    }
                }
            }
        }
        answer.add(format!("planes of {size:?}"), &planes);
        answer.add(format!("pixels of {size:?}"), &together);
    }
    answer
}
