"""Number types, and how values are rounded and converted between them."""
