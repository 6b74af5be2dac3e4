//! Tests of the passes: what they change and what they must keep.
