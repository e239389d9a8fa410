"""The command language: what is typed after ``:``, given as ``-ex`` or sent as JSON."""
