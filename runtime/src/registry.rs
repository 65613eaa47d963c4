//! The bundled providers, by name.

#[cfg(feature = "providers")]
#[doc(inline)]
pub use interlingua_maps as bundled;

use interlingua_table::Table;

/// All bundled providers, sorted by name. Without the feature `providers` there are none.
///
/// ```
/// let names: Vec<&str> = interlingua::providers().iter().map(|table| table.provider).collect();
/// assert!(names.contains(&"claude"));
/// ```
#[must_use]
pub fn providers() -> &'static [&'static Table] {
    #[cfg(feature = "providers")]
    {
        bundled::PROVIDERS
    }
    #[cfg(not(feature = "providers"))]
    {
        &[]
    }
}

/// The versions of a bundled provider's program whose recordings prove its map. Output of other versions is
/// translated as well; unknown messages become `agent.unparsed`.
///
/// ```
/// # #[cfg(feature = "providers")]
/// assert!(!interlingua::registry::recorded_versions("claude").is_empty());
/// ```
#[must_use]
pub fn recorded_versions(provider: &str) -> &'static [&'static str] {
    #[cfg(feature = "providers")]
    {
        bundled::RECORDED.iter().find(|(name, _)| *name == provider).map_or(&[], |(_, versions)| versions)
    }
    #[cfg(not(feature = "providers"))]
    {
        let _ = provider;
        &[]
    }
}

/// The bundled provider of this name.
///
/// ```
/// assert_eq!(interlingua::provider("codex").map(|table| table.title), Some("Codex"));
/// assert!(interlingua::provider("nobody").is_none());
/// ```
#[must_use]
pub fn provider(name: &str) -> Option<&'static Table> {
    providers().iter().copied().find(|table| table.provider == name)
}

/// All bundled targets, sorted by name: the protocols that events can be translated to. Without the feature `providers`
/// there are none.
///
/// ```
/// # #[cfg(feature = "providers")]
/// assert!(interlingua::targets().iter().any(|table| table.provider == "ag-ui"));
/// ```
#[must_use]
pub fn targets() -> &'static [&'static Table] {
    #[cfg(feature = "providers")]
    {
        bundled::TARGETS
    }
    #[cfg(not(feature = "providers"))]
    {
        &[]
    }
}

/// The bundled target of this name.
///
/// ```
/// # #[cfg(feature = "providers")]
/// assert_eq!(interlingua::target("ag-ui").map(|table| table.title), Some("AG-UI"));
/// assert!(interlingua::target("nobody").is_none());
/// ```
#[must_use]
pub fn target(name: &str) -> Option<&'static Table> {
    targets().iter().copied().find(|table| table.provider == name)
}
