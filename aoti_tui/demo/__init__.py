"""The bundled real failure that ``aoti-tui --demo`` opens: our own model's output."""
