"""The protocol (PROTOCOL.md): requests in, replies out, and the tensors of the session."""
