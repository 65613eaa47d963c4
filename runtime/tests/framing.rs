//! Framing: which messages a stream holds, and that its cuts do not matter.

mod framing {
    mod captures;
    mod choosing;
    mod files;
    mod memory;
    mod support;
}
