//! Pictures in memory and in PNG files.
//!
//! A pixel is a word: red in its lowest byte, then green, blue and alpha. A file depends on
//! nothing but the pixels, so that equal pictures are equal files.

use crate::cli::Size;
use std::error::Error;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

/// A picture, its pixels row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// How many pixels it has.
    pub size: Size,
    /// The pixels, `width * height` of them.
    pub pixels: Vec<u32>,
}

/// A pixel that hides what is behind it.
pub const fn opaque(red: u8, green: u8, blue: u8) -> u32 {
    u32::from_le_bytes([red, green, blue, 255])
}

impl Picture {
    /// Reads a PNG file of any kind, its colours at eight bits a channel.
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let failed = |error: &dyn Display| format!("{}: {error}", path.display());
        let file = BufReader::new(File::open(path).map_err(|error| failed(&error))?);
        let mut decoder = png::Decoder::new(file);
        decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(|error| failed(&error))?;
        let bytes = reader.output_buffer_size().ok_or_else(|| failed(&"the picture is too large"))?;
        let mut bytes = vec![0; bytes];
        let frame = reader.next_frame(&mut bytes).map_err(|error| failed(&error))?;
        bytes.truncate(frame.buffer_size());
        let pixels = match frame.color_type {
            png::ColorType::GrayscaleAlpha => {
                bytes.chunks_exact(2).map(|p| u32::from_le_bytes([p[0], p[0], p[0], p[1]])).collect()
            }
            _ => bytes.chunks_exact(4).map(|p| u32::from_le_bytes([p[0], p[1], p[2], p[3]])).collect(),
        };
        Ok(Self { size: Size { width: frame.width as usize, height: frame.height as usize }, pixels })
    }

    /// Writes a PNG file.
    pub fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        write_file(path, &self.png()?)
    }

    /// The bytes of a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, Box<dyn Error>> {
        let opaque = self.pixels.iter().all(|pixel| pixel >> 24 == 255);
        let (channels, color) = if opaque { (3, png::ColorType::Rgb) } else { (4, png::ColorType::Rgba) };
        let bytes: Vec<u8> = self.pixels.iter().flat_map(|p| p.to_le_bytes().into_iter().take(channels)).collect();
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.size.width as u32, self.size.height as u32);
        encoder.set_color(color);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&bytes)?;
        writer.finish()?;
        Ok(file)
    }

    /// A number that two different pictures hardly ever share: FNV-1a of the pixels' bytes.
    pub fn checksum(&self) -> u32 {
        checksum(&self.pixels)
    }
}

/// FNV-1a of the words' bytes.
pub fn checksum(words: &[u32]) -> u32 {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Writes a file, and names it if that fails.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let written = File::create(path).and_then(|mut file| file.write_all(bytes));
    Ok(written.map_err(|error| format!("{}: {error}", path.display()))?)
}
