"""triton.language, bound to our builder."""
