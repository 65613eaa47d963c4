//! Chained setters for optional fields.

/// Defines one `with_…` method per optional field.
macro_rules! with {
    ($( $method:ident: $field:ident = $ty:ty; )*) => { $(
        #[doc = concat!("The same value with `", stringify!($field), "` set.")]
        #[must_use]
        pub fn $method(mut self, $field: impl Into<$ty>) -> Self {
            self.$field = Some($field.into());
            self
        }
    )* };
}
pub(super) use with;

/// The same for numbers, which are taken as they are: a literal would not convert.
macro_rules! with_number {
    ($( $method:ident: $field:ident = $ty:ty; )*) => { $(
        #[doc = concat!("The same value with `", stringify!($field), "` set.")]
        #[must_use]
        pub fn $method(mut self, $field: $ty) -> Self {
            self.$field = Some($field);
            self
        }
    )* };
}
pub(super) use with_number;
