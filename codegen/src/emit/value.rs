//! Paths, expressions and conditions of a table as constant expressions.

use interlingua_table::{Cond, Expr, Path, PathStart, Step};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::{each, emit_action, texts, variant};

pub(super) fn emit_path(path: &Path) -> TokenStream {
    let Path { scope, steps } = path;
    let scope = match scope {
        PathStart::Root => quote!(Root),
        PathStart::Here => quote!(Here),
        PathStart::Outer(levels) => quote!(Outer(#levels)),
    };
    let steps = each(steps, emit_step);
    quote!(::interlingua::table::Path { scope: ::interlingua::table::PathStart::#scope, steps: #steps })
}

fn emit_step(step: &Step) -> TokenStream {
    let step = match step {
        Step::Key(key) => quote!(Key(#key)),
        Step::Index(index) => quote!(Index(#index)),
        Step::Lookup(key) => {
            let key = emit_expr(key);
            quote!(Lookup(&#key))
        }
        Step::Find(steps, value) => {
            let (steps, value) = (each(steps, emit_step), emit_expr(value));
            quote!(Find(#steps, &#value))
        }
    };
    quote!(::interlingua::table::Step::#step)
}

pub(super) fn emit_expr(expr: &Expr) -> TokenStream {
    let several = |name: &str, all: &[Expr]| {
        let (name, all) = (Ident::new(name, Span::call_site()), each(all, emit_expr));
        quote!(#name(#all))
    };
    let expr = match expr {
        Expr::Path(path) => {
            let path = emit_path(path);
            quote!(Path(#path))
        }
        Expr::Text(text) => quote!(Text(#text)),
        Expr::Number(number) => quote!(Number(#number)),
        Expr::Bool(value) => quote!(Bool(#value)),
        Expr::First(all) => several("First", all),
        Expr::Concat(all) => several("Concat", all),
        Expr::List(all) => several("List", all),
        Expr::Minus(all) => several("Minus", all),
        Expr::Plus(all) => several("Plus", all),
        Expr::Join(over, separator, element) => {
            let (over, element) = (emit_path(over), emit_expr(element));
            quote!(Join(#over, #separator, &#element))
        }
        Expr::Object(members) => {
            let members = each(members, |(name, value)| {
                let value = emit_expr(value);
                quote!((#name, #value))
            });
            quote!(Object(#members))
        }
        Expr::Via(inner, map) => {
            let inner = emit_expr(inner);
            quote!(Via(&#inner, #map))
        }
        Expr::Register(number) => quote!(Register(#number)),
        Expr::Recall(number, key) => {
            let key = emit_expr(key);
            quote!(Recall(#number, &#key))
        }
        Expr::Build(steps) => {
            let steps = each(steps, emit_action);
            quote!(Build(#steps))
        }
        Expr::Needed(value) => {
            let value = emit_expr(value);
            quote!(Needed(&#value))
        }
        Expr::Without(path, keys) => {
            let (path, keys) = (emit_path(path), texts(keys));
            quote!(Without(#path, #keys))
        }
        Expr::Merge(one, other) => {
            let (one, other) = (emit_expr(one), emit_expr(other));
            quote!(Merge(&#one, &#other))
        }
        Expr::BuildMap(steps) => {
            let steps = each(steps, emit_action);
            quote!(BuildMap(#steps))
        }
        Expr::Null => quote!(Null),
        Expr::Position => quote!(Position),
        Expr::EachKey => quote!(EachKey),
        Expr::Time(path, unit) => {
            let (path, unit) = (emit_path(path), variant("TimeUnit", unit));
            quote!(Time(#path, #unit))
        }
        Expr::If(condition, then, otherwise) => {
            let (condition, then, otherwise) = (emit_cond(condition), emit_expr(then), emit_expr(otherwise));
            quote!(If(&#condition, &#then, &#otherwise))
        }
        Expr::Piece(inner, piece, separator) => {
            let inner = emit_expr(inner);
            let piece = Ident::new(&format!("{piece:?}"), Span::call_site());
            quote!(Piece(&#inner, ::interlingua::table::Piece::#piece, #separator))
        }
        Expr::Between(inner, form, number) => {
            let (inner, form) = (emit_expr(inner), texts(form));
            quote!(Between(&#inner, #form, #number))
        }
        Expr::Diff(old, new) => {
            let (old, new) = (emit_expr(old), emit_expr(new));
            quote!(Diff(&#old, &#new))
        }
        Expr::Split(inner, separator, whole) => {
            let inner = emit_expr(inner);
            let whole = match whole {
                Some((over, element)) => {
                    let (over, element) = (emit_path(over), emit_expr(element));
                    quote!(Some(&(#over, #element)))
                }
                None => quote!(None),
            };
            quote!(Split(&#inner, #separator, #whole))
        }
        Expr::Json(path) => {
            let path = emit_path(path);
            quote!(Json(#path))
        }
        Expr::Parse(path, steps) => {
            let (path, steps) = (emit_path(path), each(steps, emit_step));
            quote!(Parse(#path, #steps))
        }
        Expr::Absent => quote!(Absent),
    };
    quote!(::interlingua::table::Expr::#expr)
}

pub(super) fn emit_cond(cond: &Cond) -> TokenStream {
    let cond = match cond {
        Cond::Holds(value) => {
            let value = emit_expr(value);
            quote!(Holds(#value))
        }
        Cond::Present(value) => {
            let value = emit_expr(value);
            quote!(Present(#value))
        }
        Cond::In(value, all) => {
            let (value, all) = (emit_expr(value), texts(all));
            quote!(In(#value, #all))
        }
        Cond::IsBool(path, value) => {
            let path = emit_path(path);
            quote!(IsBool(#path, #value))
        }
        Cond::IsNumber(value, number) => {
            let value = emit_expr(value);
            quote!(IsNumber(#value, #number))
        }
        Cond::Ends(value, suffix) => {
            let value = emit_expr(value);
            quote!(Ends(#value, #suffix))
        }
        Cond::Contains(value, inner) => {
            let value = emit_expr(value);
            quote!(Contains(#value, #inner))
        }
        Cond::Starts(value, prefix) => {
            let value = emit_expr(value);
            quote!(Starts(#value, #prefix))
        }
        Cond::Same(left, right) => {
            let (left, right) = (emit_expr(left), emit_expr(right));
            quote!(Same(#left, #right))
        }
        Cond::Less(left, right) => {
            let (left, right) = (emit_expr(left), emit_expr(right));
            quote!(Less(#left, #right))
        }
        Cond::Is(path, kind) => {
            let (path, kind) = (emit_path(path), variant("JsonKind", kind));
            quote!(Is(#path, #kind))
        }
        Cond::Not(inner) => {
            let inner = emit_cond(inner);
            quote!(Not(&#inner))
        }
        Cond::All(all) => {
            let all = each(all, emit_cond);
            quote!(All(#all))
        }
        Cond::Any(any) => {
            let any = each(any, emit_cond);
            quote!(Any(#any))
        }
    };
    quote!(::interlingua::table::Cond::#cond)
}
