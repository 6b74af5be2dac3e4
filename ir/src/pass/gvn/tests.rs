//! What value numbering makes one, and what it keeps apart.
