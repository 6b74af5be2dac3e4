//! The rules that the text has to spell out.
