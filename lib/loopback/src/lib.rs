//! A small HTTP/1.1 server for programs on the same machine: a browser, or a crawler under test.
//!
//! It answers one request per connection, each in a thread of its own, and then closes the
//! connection. Requests are read within strict limits ([`Request`]). It has neither TLS, nor
//! persistent connections, nor transfer codings, and is not meant for a network.

mod request;
mod response;
mod server;

pub use request::Request;
pub use response::Response;
pub use server::{MalformedRequest, serve_connections};
