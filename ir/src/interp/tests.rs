//! Tests of the interpreter: values, memory, barriers and what it reports.

