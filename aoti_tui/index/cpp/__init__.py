"""Reading a C++ wrapper with tree-sitter: what AOTInductor writes, of every torch since 2.5."""
