"""What a graph of torch.compile is called: its AOT id, or its file where none is written."""

from __future__ import annotations

import re
from pathlib import PurePath

_WRITTEN = re.compile(r"^# AOT ID: \[['\"](\w+)['\"]", re.M)
_DEBUG_FOLDER = re.compile(r"model__(\w+)_\d+\.\d+")
CPP_TEXT = "cpp_wrapper_src = "
"""What the program of a C++ wrapper of torch.compile stands behind, in a Python file
(torch/_inductor/codegen/cpp_wrapper_cpu.py, ``write_wrapper_decl``); no AOT id is written there."""

_RECORDED_LAUNCH = "# AOT ID: none, a recorded launch of a script's kernel\n"


def is_recorded_launch(text: str) -> bool:
    """Whether a wrapper was made of a launch that a script did itself (``aoti-tui record``)."""
    return text.startswith(_RECORDED_LAUNCH)


def graph_id(text: str, path: str) -> str:
    """``0_inference``; for a C++ wrapper that of its debug folder or its file's own name;
    ``""`` for a wrapper of AOTInductor."""
    written = _WRITTEN.search(text)
    if written is not None:
        return written[1]
    if f"\n{CPP_TEXT}" not in text:
        return ""
    place = PurePath(path)
    folder = _DEBUG_FOLDER.fullmatch(place.parent.name)
    return folder[1] if folder is not None else place.stem.removeprefix("output_code.")
