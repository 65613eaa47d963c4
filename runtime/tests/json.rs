//! The JSON index: what it accepts, what it finds, and what it decodes.

mod json {
    mod captures;
    mod decoding;
    mod grammar;
    mod reading;
    mod support;
}
