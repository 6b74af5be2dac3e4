//! A kernel of a Rust program as a file: its image before any pass, the places of its instructions, and what a list of
//! kernels says of it. The macro writes such files if it is asked to, and the command reads them.
//!
//! ```text
//! listing = "SBIL" version package name instance place signature length image length locations
//! ```
//!
//! Both are of one release, so a listing of another version is refused as a whole.

use super::token::{self, Reader};
use crate::diag::Diags;

/// The first bytes of a listing.
pub const LISTING: [u8; 4] = *b"SBIL";

/// The version of the form.
const VERSION: u32 = 1;

/// A kernel, or an instance of a generic one.
///
/// ```
/// use samebits_ir::{builder::Builder, types::Types, wire};
/// let mut b = Builder::new("fill", [64, 1, 1]);
/// b.ret();
/// let image = wire::encode(&b.into_module(Types::default()));
/// let signature = "fn fill(y: &mut [u32])".to_owned();
/// let listing = wire::Listing { name: "fill".to_owned(), signature, image, ..Default::default() };
/// assert_eq!(wire::Listing::decode(&listing.encode()).as_ref(), Ok(&listing));
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Listing {
    /// The package that it is in.
    pub package: String,
    /// Its name.
    pub name: String,
    /// Of a generic kernel the arguments, such as `<f32, 2>`; else nothing.
    pub instance: String,
    /// Where its name stands, as `file:line:column`.
    pub place: String,
    /// Its signature, as Rust.
    pub signature: String,
    /// The [encoding](super::encode) of the module before any pass.
    pub image: Vec<u8>,
    /// The [locations](super::encode_locations) of the same.
    pub locations: Vec<u8>,
}

impl Listing {
    /// The name that tells it from other instances, such as `scale::<f32, 2>`.
    ///
    /// ```
    /// use samebits_ir::wire::Listing;
    /// let one = Listing { name: "scale".to_owned(), instance: "<f32>".to_owned(), ..Listing::default() };
    /// assert_eq!(one.full_name(), "scale::<f32>");
    /// ```
    pub fn full_name(&self) -> String {
        let colons = if self.instance.is_empty() { "" } else { "::" };
        format!("{}{colons}{}", self.name, self.instance)
    }

    /// The bytes of a file.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = LISTING.to_vec();
        token::write(&mut out, VERSION.into());
        for text in [&self.package, &self.name, &self.instance, &self.place, &self.signature] {
            token::write_text(&mut out, text);
        }
        for bytes in [&self.image, &self.locations] {
            token::write_len(&mut out, bytes.len());
            out.extend(bytes);
        }
        out
    }

    /// What a file says; its image is for [`decode`](super::decode) to judge.
    pub fn decode(bytes: &[u8]) -> Result<Self, Diags> {
        let mut reader = Reader::new(bytes);
        if reader.take(LISTING.len(), "\"SBIL\"")? != LISTING {
            return Err(token::fault(0, "\"SBIL\""));
        }
        let at = reader.offset();
        if reader.token("a version")? != i64::from(VERSION) {
            return Err(token::fault(
                at,
                &format!("version {VERSION}; the macro and the command are not of one release"),
            ));
        }
        let mut text = |what| reader.text(what).map(str::to_owned);
        let (package, name, instance) = (text("a package")?, text("a name")?, text("an instance")?);
        let (place, signature) = (text("a place")?, text("a signature")?);
        let mut bytes = |what| {
            let len = reader.count(what)?;
            reader.take(len, what).map(<[u8]>::to_vec)
        };
        let (image, locations) = (bytes("an image")?, bytes("locations")?);
        let at = reader.offset();
        match reader.take(1, "the end") {
            Err(_) => Ok(Self { package, name, instance, place, signature, image, locations }),
            Ok(_) => Err(token::fault(at, "the end")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing() -> Listing {
        Listing {
            package: "p\u{e9}".to_owned(),
            name: "scale".to_owned(),
            instance: "<f32>".to_owned(),
            place: "src/lib.rs:3:4".to_owned(),
            signature: "fn scale<T: Number>(y: &mut [T])".to_owned(),
            image: vec![0, 255, 7],
            locations: vec![9; 300],
        }
    }

    #[test]
    fn a_listing_is_read_back() {
        assert_eq!(Listing::decode(&listing().encode()), Ok(listing()));
        assert_eq!(Listing::decode(&Listing::default().encode()), Ok(Listing::default()));
    }

    #[test]
    fn other_bytes_are_refused() {
        let good = listing().encode();
        for len in 0..good.len() {
            assert!(Listing::decode(&good[..len]).is_err(), "{len} bytes");
        }
        assert!(Listing::decode(&[&good[..], &[0]].concat()).is_err());
        let mut newer = good.clone();
        newer[4] += 1;
        let refused = Listing::decode(&newer).unwrap_err();
        assert!(refused.as_slice()[0].message.contains("not of one release"), "{refused:?}");
        assert!(Listing::decode(b"SBIR").is_err());
    }
}
