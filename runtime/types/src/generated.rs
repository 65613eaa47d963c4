//! The generated modules. This file is written by hand; those below it are
//! not, and keep typify's manners.

#![allow(
    missing_docs,
    clippy::all,
    reason = "generated code has its schema for documentation and typify for style"
)]

#[cfg(feature = "amp")]
#[rustfmt::skip]
pub mod amp;
#[cfg(feature = "claude")]
#[rustfmt::skip]
pub mod claude;
#[cfg(feature = "codex")]
#[rustfmt::skip]
pub mod codex;
#[cfg(feature = "gemini-cli")]
#[rustfmt::skip]
pub mod gemini_cli;
#[cfg(feature = "opencode")]
#[rustfmt::skip]
pub mod opencode;
#[cfg(feature = "pi")]
#[rustfmt::skip]
pub mod pi;
#[cfg(feature = "qwen")]
#[rustfmt::skip]
pub mod qwen;
#[cfg(feature = "acp")]
#[rustfmt::skip]
pub mod acp;
#[cfg(feature = "claude-transcript")]
#[rustfmt::skip]
pub mod claude_transcript;
#[cfg(feature = "codex-rollout")]
#[rustfmt::skip]
pub mod codex_rollout;
#[cfg(feature = "gemini-cli-session")]
#[rustfmt::skip]
pub mod gemini_cli_session;
#[cfg(feature = "pi-session")]
#[rustfmt::skip]
pub mod pi_session;
#[cfg(feature = "qwen-session")]
#[rustfmt::skip]
pub mod qwen_session;
#[cfg(feature = "anthropic-messages")]
#[rustfmt::skip]
pub mod anthropic_messages;
#[cfg(feature = "deepseek-chat")]
#[rustfmt::skip]
pub mod deepseek_chat;
#[cfg(feature = "gemini")]
#[rustfmt::skip]
pub mod gemini;
#[cfg(feature = "openai-chat")]
#[rustfmt::skip]
pub mod openai_chat;
#[cfg(feature = "openai-responses")]
#[rustfmt::skip]
pub mod openai_responses;
