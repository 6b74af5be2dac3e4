//! Every visibility, and each as far as it reaches.
#![deny(warnings, unreachable_pub)]
use samebits::prelude::*;

mod outer {
    pub(crate) mod inner {
        use samebits::prelude::*;

        #[device]
        pub(crate) fn for_the_crate() -> f32 {
            private()
        }

        #[device]
        pub(super) fn for_the_parent() -> f32 {
            20.0
        }

        #[device]
        pub(in crate::outer) fn for_the_outer() -> f32 {
            300.0
        }

        #[device]
        pub(self) fn private() -> f32 {
            1.0
        }

        #[derive(Clone, Copy, Element)]
        #[repr(C)]
        pub(crate) struct Shared {
            pub(crate) a: f32,
            hidden: f32,
        }

        #[device]
        pub(crate) fn hidden(s: Shared) -> f32 {
            s.hidden
        }

        impl Shared {
            pub(crate) fn new(a: f32, hidden: f32) -> Self {
                Self { a, hidden }
            }
        }
    }

    use samebits::prelude::*;

    #[device]
    pub(crate) fn both() -> f32 {
        inner::for_the_parent() + self::inner::for_the_outer()
    }
}

#[kernel(workgroup_size(1))]
fn k(s: outer::inner::Shared, y: &mut [f32]) {
    y[0] = outer::both() + crate::outer::inner::for_the_crate() + s.a + outer::inner::hidden(s);
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(1)?;
    k::launch(&device, 1, outer::inner::Shared::new(4000.0, 50000.0), &mut y)?;
    assert_eq!(y.read()?, [54321.0]);
    Ok(())
}
