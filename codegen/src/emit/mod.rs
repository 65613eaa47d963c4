//! Writes a table as a constant expression, for the macro.

mod value;

use interlingua_table::{
    Action, Arm, ArmShape, CallIds, Cannot, Context, Demands, Dispatch, Dropped, Expr, Host, Member, Pairing,
    Place, Register, Rule, Server, Shape, Table, Target, TimeField, Tool, ToolName, ValueMap, Write,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use self::value::{emit_cond, emit_expr, emit_path};

/// The table as a constant expression of the type `::interlingua::table::Table`.
///
/// The crate in which it stands must have the name `interlingua` for a crate that has the table's
/// types as its module `table`. The runtime crate itself says `extern crate self as interlingua;`.
pub fn emit(table: &Table) -> TokenStream {
    let Table {
        provider,
        title,
        install,
        files,
        written_by,
        resume,
        layer,
        dialect_of,
        file,
        included,
        framing,
        end,
        server,
        turn_ends_with_input,
        demands,
        keys,
        context,
        pairing,
        dispatch,
        rules,
        values,
        tools,
        registers,
        dropped,
        ..
    } = table;
    let (writes, open_readers) = (each(table.writes, emit_write), texts(table.open_readers));
    let cannot = each(table.cannot, emit_cannot);
    let hosts = each(table.hosts, emit_host);
    let write_keys = texts(table.write_keys);
    let target = option(
        &table.target,
        |Target { runs_required, streams_apart }| quote!(::interlingua::table::Target { runs_required: #runs_required, streams_apart: #streams_apart }),
    );
    let layer = variant("Layer", layer);
    let dialect_of = option(dialect_of, |name| name.to_token_stream());
    let server = option(
        server,
        |Server { listens, events }| quote!(::interlingua::table::Server { listens: #listens, events: #events }),
    );
    let (files, included, end) = (texts(files), texts(included), texts(end));
    let framing = each(framing, |framing| variant("Framing", framing));
    let demands = emit_demands(demands);
    let context = emit_context(context);
    let pairing = emit_pairing(pairing);
    let dispatch = emit_dispatch(dispatch);
    let rules = each(rules, emit_rule);
    let values = each(values, emit_value_map);
    let tools = each(tools, emit_tool);
    let registers = each(registers, emit_register);
    let dropped = each(dropped, emit_dropped);
    quote! {
        ::interlingua::table::Table {
            provider: #provider,
            title: #title,
            install: #install,
            files: #files,
            written_by: #written_by,
            resume: #resume,
            layer: #layer,
            dialect_of: #dialect_of,
            file: #file,
            included: #included,
            framing: #framing,
            end: #end,
            server: #server,
            turn_ends_with_input: #turn_ends_with_input,
            demands: #demands,
            keys: &[#(#keys),*],
            context: #context,
            pairing: #pairing,
            dispatch: #dispatch,
            rules: #rules,
            values: #values,
            tools: #tools,
            registers: #registers,
            dropped: #dropped,
            writes: #writes,
            cannot: #cannot,
            open_readers: #open_readers,
            hosts: #hosts,
            target: #target,
            write_keys: #write_keys,
            prepared: {
                static PREPARED: ::interlingua::table::Prepared = ::interlingua::table::Prepared::new();
                &PREPARED
            },
        }
    }
}

fn emit_demands(demands: &Demands) -> TokenStream {
    let Demands { call_ids: CallIds { characters, shortest, longest }, results, no_blank_texts } = demands;
    let characters = each(characters, |(first, last)| quote!((#first, #last)));
    let results = variant("Results", results);
    quote! {
        ::interlingua::table::Demands {
            call_ids: ::interlingua::table::CallIds {
                characters: #characters,
                shortest: #shortest,
                longest: #longest,
            },
            results: #results,
            no_blank_texts: #no_blank_texts,
        }
    }
}

/// A reference to a list.
fn each<T>(all: &[T], emit: impl Fn(&T) -> TokenStream) -> TokenStream {
    let all = all.iter().map(emit);
    quote!(&[#(#all),*])
}

fn option<T>(value: &Option<T>, emit: impl Fn(&T) -> TokenStream) -> TokenStream {
    match value {
        Some(value) => {
            let value = emit(value);
            quote!(::core::option::Option::Some(#value))
        }
        None => quote!(::core::option::Option::None),
    }
}

fn texts(all: &[&'static str]) -> TokenStream {
    quote!(&[#(#all),*])
}

/// A variant without fields; its name is how it prints for debugging.
fn variant(of: &str, value: &impl std::fmt::Debug) -> TokenStream {
    let of = Ident::new(of, Span::call_site());
    let name = Ident::new(&format!("{value:?}"), Span::call_site());
    quote!(::interlingua::table::#of::#name)
}

fn emit_context(context: &Context) -> TokenStream {
    let [envelope, message_id, session, turn, agent] =
        [context.envelope, context.message_id, context.session, context.turn, context.agent]
            .map(|paths| each(paths, emit_path));
    let time = each(context.time, |TimeField { path, unit }| {
        let (path, unit) = (emit_path(path), variant("TimeUnit", unit));
        quote!(::interlingua::table::TimeField { path: #path, unit: #unit })
    });
    quote! {
        ::interlingua::table::Context {
            envelope: #envelope,
            message_id: #message_id,
            session: #session,
            turn: #turn,
            agent: #agent,
            time: #time,
        }
    }
}

fn emit_pairing(pairing: &Pairing) -> TokenStream {
    let Pairing { asks, answers, member, turn_answered_at_end } = pairing;
    let (asks, answers) = (emit_expr(asks), emit_expr(answers));
    quote!(::interlingua::table::Pairing {
        asks: #asks,
        answers: #answers,
        member: #member,
        turn_answered_at_end: #turn_answered_at_end
    })
}

fn emit_dispatch(dispatch: &Dispatch) -> TokenStream {
    let Dispatch { tag, arms, present, unknown } = dispatch;
    let tag = each(tag, emit_path);
    let arms = each(arms, |(value, shape)| {
        let shape = emit_shape(shape);
        quote!((#value, #shape))
    });
    let present = each(present, |(path, shape)| {
        let (path, shape) = (emit_path(path), emit_shape(shape));
        quote!((#path, #shape))
    });
    quote! {
        ::interlingua::table::Dispatch { tag: #tag, arms: #arms, present: #present, unknown: &[#(#unknown),*] }
    }
}

fn emit_shape(shape: &Shape) -> TokenStream {
    let Shape { next, rules } = shape;
    let next = option(next, |next| {
        let next = emit_dispatch(next);
        quote!(&#next)
    });
    quote!(::interlingua::table::Shape { next: #next, rules: &[#(#rules),*] })
}

fn emit_place(place: &Place) -> TokenStream {
    let Place { file, line, column } = place;
    quote!(::interlingua::table::Place { file: #file, line: #line, column: #column })
}

fn emit_rule(rule: &Rule) -> TokenStream {
    let Rule { name, place, patterns, members, condition, context, actions, ignore } = rule;
    let place = emit_place(place);
    let (patterns, members) = (texts(patterns), emit_members(members));
    let condition = option(condition, emit_cond);
    let context = emit_fields(context);
    let actions = each(actions, emit_action);
    let ignore = option(ignore, |reason| reason.to_token_stream());
    quote! {
        ::interlingua::table::Rule {
            name: #name,
            place: #place,
            patterns: #patterns,
            members: #members,
            condition: #condition,
            context: #context,
            actions: #actions,
            ignore: #ignore,
        }
    }
}

fn emit_members(members: &[Member]) -> TokenStream {
    each(members, |Member { name, members }| {
        let members = emit_members(members);
        quote!(::interlingua::table::Member { name: #name, members: #members })
    })
}

fn emit_fields(fields: &[(interlingua_table::Field, Expr)]) -> TokenStream {
    each(fields, |(field, value)| {
        let (field, value) = (variant("Field", field), emit_expr(value));
        quote!((#field, #value))
    })
}

fn emit_action(action: &Action) -> TokenStream {
    let action = match action {
        Action::Emit { verb, item, block, fields, body, place } => {
            let (verb, item, block) =
                (variant("Verb", verb), variant("ItemKind", item), variant("BlockKind", block));
            let (fields, body, place) = (emit_fields(fields), each(body, emit_action), emit_place(place));
            quote! {
                Emit { verb: #verb, item: #item, block: #block, fields: #fields, body: #body, place: #place }
            }
        }
        Action::Each { over, arms } => {
            let (over, arms) = (emit_path(over), each(arms, emit_arm));
            quote!(Each { over: #over, arms: #arms })
        }
        Action::One { over, arms } => {
            let (over, arms) = (emit_path(over), each(arms, emit_arm));
            quote!(One { over: #over, arms: #arms })
        }
        Action::In { item, body } => {
            let (item, body) = (emit_expr(item), each(body, emit_action));
            quote!(In { item: #item, body: #body })
        }
        Action::When { arms } => {
            let arms = each(arms, |(condition, actions)| {
                let (condition, actions) = (emit_cond(condition), each(actions, emit_action));
                quote!((#condition, #actions))
            });
            quote!(When { arms: #arms })
        }
        Action::Set { register, key, value } => {
            let (key, value) = (option(key, emit_expr), emit_expr(value));
            quote!(Set { register: #register, key: #key, value: #value })
        }
        Action::Add { value, merge } => {
            let value = emit_expr(value);
            let merge = option(merge, |(by, list)| quote!((#by, #list)));
            quote!(Add { value: #value, merge: #merge })
        }
        Action::Send { value, http } => {
            let value = emit_expr(value);
            let http = option(http, |(method, path)| {
                let path = emit_expr(path);
                quote!((#method, #path))
            });
            quote!(Send { value: #value, http: #http })
        }
        Action::Spawn { args, cwd } => {
            let (args, cwd) = (emit_expr(args), emit_expr(cwd));
            quote!(Spawn { args: #args, cwd: #cwd })
        }
        Action::Tell { id } => {
            let id = emit_expr(id);
            quote!(Tell { id: #id })
        }
        Action::Put { key, value } => {
            let (key, value) = (emit_expr(key), emit_expr(value));
            quote!(Put { key: #key, value: #value })
        }
        Action::HangUp => quote!(HangUp),
        Action::Await => quote!(Await),
        Action::Degrade { what, reason } => quote!(Degrade { what: #what, reason: #reason }),
        Action::Once { key } => {
            let key = emit_expr(key);
            quote!(Once { key: #key })
        }
        Action::Candidate { number } => {
            let number = emit_expr(number);
            quote!(Candidate { number: #number })
        }
    };
    quote!(::interlingua::table::Action::#action)
}

fn emit_arm(arm: &Arm) -> TokenStream {
    let Arm { shape, condition, actions, ignore } = arm;
    let shape = match shape {
        ArmShape::Tag(path, values) => {
            let (path, values) = (emit_path(path), texts(values));
            quote!(Tag(#path, #values))
        }
        ArmShape::Kind(kind) => {
            let kind = variant("JsonKind", kind);
            quote!(Kind(#kind))
        }
        ArmShape::Any => quote!(Any),
    };
    let condition = option(condition, emit_cond);
    let actions = each(actions, emit_action);
    let ignore = option(ignore, |reason| reason.to_token_stream());
    quote! {
        ::interlingua::table::Arm {
            shape: ::interlingua::table::ArmShape::#shape,
            condition: #condition,
            actions: #actions,
            ignore: #ignore,
        }
    }
}

fn emit_value_map(map: &ValueMap) -> TokenStream {
    let ValueMap { name, pairs, otherwise } = map;
    let pairs = each(pairs, |(native, universal)| {
        let universal = option(universal, |universal| universal.to_token_stream());
        quote!((#native, #universal))
    });
    let otherwise = option(otherwise, |otherwise| otherwise.to_token_stream());
    quote!(::interlingua::table::ValueMap { name: #name, pairs: #pairs, otherwise: #otherwise })
}

fn emit_tool(tool: &Tool) -> TokenStream {
    let Tool { table, name, names, kind, place } = tool;
    let optional = |text: &Option<&'static str>| option(text, |text| text.to_token_stream());
    let names = each(names, |ToolName { name, since, until }| {
        let (since, until) = (optional(since), optional(until));
        quote!(::interlingua::table::ToolName { name: #name, since: #since, until: #until })
    });
    let kind = optional(kind);
    let place = emit_place(place);
    quote! {
        ::interlingua::table::Tool { table: #table, name: #name, names: #names, kind: #kind, place: #place }
    }
}

fn emit_register(register: &Register) -> TokenStream {
    let Register { name, scope } = register;
    let scope = variant("RegisterScope", scope);
    quote!(::interlingua::table::Register { name: #name, scope: #scope })
}

fn emit_dropped(dropped: &Dropped) -> TokenStream {
    let Dropped { path, rules, reason, place } = dropped;
    let (rules, place) = (texts(rules), emit_place(place));
    quote!(::interlingua::table::Dropped { path: #path, rules: #rules, reason: #reason, place: #place })
}

fn emit_write(write: &Write) -> TokenStream {
    let Write { command, name, place, condition, needs, actions, reads } = write;
    let (place, condition) = (emit_place(place), option(condition, emit_cond));
    let (needs, actions, reads) = (each(needs, emit_path), each(actions, emit_action), texts(reads));
    quote! {
        ::interlingua::table::Write {
            command: #command,
            name: #name,
            place: #place,
            condition: #condition,
            needs: #needs,
            actions: #actions,
            reads: #reads,
        }
    }
}

fn emit_host(host: &Host) -> TokenStream {
    let Host { place, http, condition, session, actions } = host;
    let (place, condition) = (emit_place(place), option(condition, emit_cond));
    let http = option(http, |(method, path)| quote!((#method, #path)));
    let (session, actions) = (option(session, emit_expr), each(actions, emit_action));
    quote! {
        ::interlingua::table::Host {
            place: #place,
            http: #http,
            condition: #condition,
            session: #session,
            actions: #actions,
        }
    }
}

fn emit_cannot(cannot: &Cannot) -> TokenStream {
    let Cannot { command, field, case, reason, place } = cannot;
    let field = option(field, |(name, path)| {
        let path = emit_path(path);
        quote!((#name, #path))
    });
    let (case, place) = (option(case, emit_cond), emit_place(place));
    quote! {
        ::interlingua::table::Cannot {
            command: #command,
            field: #field,
            case: #case,
            reason: #reason,
            place: #place,
        }
    }
}
