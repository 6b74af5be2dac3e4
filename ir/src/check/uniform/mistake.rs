//! Wrong versions of the analysis, which random kernels must find.
//!
//! Each is a case that somebody might forget. The analysis asks at the place in question
//! whether to make the mistake; without the feature `mistakes` the answer is always no.

/// A mistake of the analysis of uniformity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// Every barrier is accepted. Shows what a refused kernel does.
    NothingRefused,
    /// A `continue` that only some take parts nobody.
    ContinueForgotten,
    /// A `break` that only some take parts nobody.
    BreakForgotten,
    /// A `return` that only some take parts nobody.
    ReturnForgotten,
    /// An exit through several loops ends only the one that it names.
    OuterLoopsOnly,
    /// What is chosen by control that differs is the same for all.
    MergeForgotten,
    /// What leaves a loop in different rounds is the same for all.
    RoundsForgotten,
    /// What a loop carries back does not come round.
    BackEdgeForgotten,
    /// Loads from a writable buffer are taken to be the same for all.
    WritableBuffersUniform,
    /// Loads from workgroup memory are taken to be the same for all, also without barriers around.
    WorkgroupMemoryUniform,
    /// The result of an atomic access is taken to be the same for all.
    AtomicsUniform,
    /// A store under control that differs leaves an array as uniform as it was.
    PrivateStoresUniform,
    /// A load at an index that differs is taken to be the same for all.
    IndexForgotten,
    /// What a round of a loop writes is not there when the next one reads.
    PhasesOfRoundsForgotten,
}

#[cfg(feature = "mistakes")]
impl Mistake {
    /// Every mistake but [`Self::NothingRefused`].
    pub const ALL: &[Self] = &[
        Self::ContinueForgotten,
        Self::BreakForgotten,
        Self::ReturnForgotten,
        Self::OuterLoopsOnly,
        Self::MergeForgotten,
        Self::RoundsForgotten,
        Self::BackEdgeForgotten,
        Self::WritableBuffersUniform,
        Self::WorkgroupMemoryUniform,
        Self::AtomicsUniform,
        Self::PrivateStoresUniform,
        Self::IndexForgotten,
        Self::PhasesOfRoundsForgotten,
    ];
}
