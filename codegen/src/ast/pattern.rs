//! Which messages a rule takes: patterns of tag values, and the routes that they stand for.

use std::fmt;

use super::{Path, Word, written};
use crate::sources::Span;

/// `a/(b | c)/_`.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub span: Span,
    pub segments: Vec<Segment>,
}

#[derive(Debug, Clone)]
pub(crate) enum Segment {
    /// One of these; a `_` among them is `None`.
    Values(Vec<Option<Word>>),
    Member(Path),
}

/// One way to read a pattern: a value for each level.
pub(crate) type Route = Vec<RouteStep>;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum RouteStep {
    Value(String),
    Member(String),
    Star,
}

impl Pattern {
    /// Where the value of a route's step is written.
    pub(crate) fn span_of(&self, step: &RouteStep) -> Span {
        let RouteStep::Value(value) = step else { return self.span };
        let words = self.segments.iter().flat_map(|segment| match segment {
            Segment::Values(values) => &values[..],
            Segment::Member(_) => &[],
        });
        words.flatten().find(|word| word.text == *value).map_or(self.span, |word| word.span)
    }

    /// The pattern without its `( | )`.
    pub(crate) fn routes(&self) -> Vec<Route> {
        let mut routes: Vec<Route> = vec![Vec::new()];
        for segment in &self.segments {
            let steps: Vec<RouteStep> = match segment {
                Segment::Values(values) => values
                    .iter()
                    .map(|value| {
                        value.as_ref().map_or(RouteStep::Star, |word| RouteStep::Value(word.text.clone()))
                    })
                    .collect(),
                Segment::Member(path) => vec![RouteStep::Member(path.to_string())],
            };
            routes = routes
                .iter()
                .flat_map(|route| {
                    steps.iter().map(move |step| [&route[..], std::slice::from_ref(step)].concat())
                })
                .collect();
        }
        routes
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.segments.iter().enumerate() {
            if index > 0 {
                f.write_str("/")?;
            }
            match segment {
                Segment::Values(values) => {
                    let written: Vec<String> = values
                        .iter()
                        .map(|value| value.as_ref().map_or("_".to_owned(), |word| written(&word.text)))
                        .collect();
                    match &written[..] {
                        [only] => f.write_str(only)?,
                        several => write!(f, "({})", several.join(" | "))?,
                    }
                }
                Segment::Member(path) => write!(f, "?{path}")?,
            }
        }
        Ok(())
    }
}

/// A route as a map writes it.
pub(crate) fn route_text(route: &[RouteStep]) -> String {
    let steps: Vec<String> = route
        .iter()
        .map(|step| match step {
            RouteStep::Value(value) => written(value),
            RouteStep::Member(path) => format!("?{path}"),
            RouteStep::Star => "_".to_owned(),
        })
        .collect();
    steps.join("/")
}
