"""Wrapper text to an immutable :class:`~aoti_tui.index.model.WrapperIndex`."""
