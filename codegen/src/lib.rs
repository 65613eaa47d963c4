//! Library of the map compiler.
