//! What moves before loops, and what stays.
