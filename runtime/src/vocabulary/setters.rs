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
