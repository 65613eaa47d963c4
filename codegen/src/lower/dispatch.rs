//! How messages are told apart: patterns and tags as a tree.

use std::collections::BTreeMap;

use interlingua_table::{Dispatch, Path, Shape};

use super::{Lower, leak, leak_all, text, to_u16};
use crate::ast::{self, Route, RouteStep};

/// A place in the tree of tags: what the routes to it have in common.
#[derive(Default)]
struct Node<'m> {
    /// Rules that end here.
    rules: Vec<u16>,
    /// The paths that tell messages apart further.
    tag: &'m [ast::Path],
    next: BTreeMap<String, Node<'m>>,
    /// Members of messages without a tag, in the order of the map.
    present: Vec<(&'m ast::Path, Node<'m>)>,
    unknown: Vec<u16>,
}

impl<'m> Node<'m> {
    fn add_rule(&mut self, route: &[RouteStep], members: &'m [ast::Segment], rule: u16) {
        match route {
            [] => self.rules.push(rule),
            [RouteStep::Star, ..] => self.unknown.push(rule),
            [step, rest @ ..] => self.child(step, members).add_rule(rest, members, rule),
        }
    }

    fn set_tag(&mut self, route: &[RouteStep], members: &'m [ast::Segment], tag: &'m [ast::Path]) {
        match route {
            [] | [RouteStep::Star, ..] => self.tag = tag,
            [step, rest @ ..] => self.child(step, members).set_tag(rest, members, tag),
        }
    }

    fn child(&mut self, step: &RouteStep, segments: &'m [ast::Segment]) -> &mut Node<'m> {
        match step {
            RouteStep::Value(value) => self.next.entry(value.clone()).or_default(),
            RouteStep::Star => self,
            RouteStep::Member(name) => {
                let known = self.present.iter().position(|(path, _)| path.to_string() == *name);
                let place = known.unwrap_or_else(|| {
                    let path = segments.iter().find_map(|segment| match segment {
                        ast::Segment::Member(path) => Some(path),
                        _ => None,
                    });
                    self.present.push((
                        path.expect("a route with a member is of a pattern with one"),
                        Node::default(),
                    ));
                    self.present.len() - 1
                });
                &mut self.present[place].1
            }
        }
    }
}

impl<'m> Lower<'m> {
    pub(super) fn dispatch(&mut self) -> Dispatch {
        let map = self.map;
        let mut root = Node { tag: &map.provider.tag, ..Node::default() };
        for (patterns, tag) in &map.provider.further_tags {
            for pattern in patterns {
                for route in routes(pattern) {
                    root.set_tag(&route, &pattern.segments, tag);
                }
            }
        }
        for (number, rule) in map.rules.iter().enumerate() {
            for pattern in &rule.patterns {
                for route in routes(pattern) {
                    root.add_rule(&route, &pattern.segments, to_u16(number));
                }
            }
        }
        self.level(root)
    }

    fn level(&mut self, node: Node<'m>) -> Dispatch {
        let tag = self.paths(node.tag);
        let arms: Vec<(&'static str, Shape)> =
            node.next.into_iter().map(|(value, node)| (text(&value), self.shape(node))).collect();
        let present: Vec<(Path, Shape)> =
            node.present.into_iter().map(|(path, node)| (self.path(path), self.shape(node))).collect();
        Dispatch { tag, arms: leak_all(arms), present: leak_all(present), unknown: leak_all(node.unknown) }
    }

    fn shape(&mut self, mut node: Node<'m>) -> Shape {
        let rules = leak_all(std::mem::take(&mut node.rules));
        let next = if node.tag.is_empty() { None } else { Some(leak(self.level(node))) };
        Shape { next, rules }
    }
}

fn routes(pattern: &ast::Pattern) -> Vec<Route> {
    pattern.routes()
}
