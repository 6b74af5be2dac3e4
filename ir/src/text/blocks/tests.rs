//! Block form, seen from outside.
