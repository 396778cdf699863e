//! The server, without a socket.

mod api;
mod broken_uploads;
mod false_alarms;
