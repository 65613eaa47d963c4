//! Splitting a stream of bytes into messages.
