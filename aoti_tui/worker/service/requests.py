"""The requests that need torch and triton, by name."""

from __future__ import annotations

from typing import Any

from ..engine.programs.execution import Progress
from ..protocol.frames import Blobs
from ..protocol.problems import bad_request
from .copies import fit, saved
from .edits import edited
from .externs import call_extern
from .kernels import SentKernel, kernel_reply, sent_kernel
from .record import record
from .scan import scan, who_wrote
from .session_tensors import Placement, SessionTensors


class Requests:
    """Holds what requests make: tensors and compiled kernels."""

    def __init__(self) -> None:
        self.tensors = SessionTensors()
        self.kernels: dict[str, SentKernel] = {}

    def run(
        self, name: str, header: dict[str, Any], blobs: Blobs, progress: Progress
    ) -> dict[str, Any]:
        """The result of one request, without its event and id."""
        method = getattr(self, f"do_{name}", None)
        if method is None:
            raise bad_request(f"there is no request {name}")
        result: dict[str, Any] = method(header, blobs, progress) or {}
        return result

    def do_load(self, header: dict[str, Any], *_: Any) -> dict[str, Any]:
        texts = bool(header.get("texts"))
        return {"values": self.tensors.load(header["path"], header.get("prefix") or "", texts)}

    def do_load_one(self, header: dict[str, Any], *_: Any) -> dict[str, Any]:
        return self.tensors.load_one(header["path"], header["name"])

    def do_load_memory(self, header: dict[str, Any], *_: Any) -> dict[str, Any]:
        pieces = [[int(n) for n in piece] for piece in header.get("pieces") or []]
        return self.tensors.load_memory(_place(header), header["path"], pieces)

    def do_empty(self, header: dict[str, Any], *_: Any) -> None:
        poison = bool(header.get("poison"))
        self.tensors.empty(_place(header), poison)

    def do_zeros(self, header: dict[str, Any], *_: Any) -> None:
        self.tensors.allocate(_place(header)).zero_()

    def do_made_up(self, header: dict[str, Any], *_: Any) -> None:
        self.tensors.made_up(
            _place(header), int(header.get("seed") or 0), header.get("low"), header.get("high")
        )

    def do_view(self, header: dict[str, Any], *_: Any) -> None:
        self.tensors.view(
            header["name"],
            header["base"],
            header.get("shape"),
            header.get("stride"),
            header.get("offset"),
            header.get("dtype"),
        )

    def do_alias(self, header: dict[str, Any], *_: Any) -> None:
        self.tensors.alias(header["name"], header["base"])

    def do_drop(self, header: dict[str, Any], *_: Any) -> None:
        self.tensors.drop(header["names"])

    def do_describe(self, header: dict[str, Any], *_: Any) -> dict[str, Any]:
        return self.tensors.describe(header["name"])

    def do_read(self, header: dict[str, Any], blobs: Blobs, *_: Any) -> dict[str, Any]:
        return self.tensors.read(
            header["name"],
            header.get("start"),
            header.get("count"),
            header.get("elements"),
            blobs,
        )

    def do_fit(self, header: dict[str, Any], *_: Any) -> None:
        fit(
            self.tensors,
            header["name"],
            header["base"],
            [int(n) for n in header["shape"]],
            header.get("stride"),
        )

    def do_save(self, header: dict[str, Any], blobs: Blobs, *_: Any) -> dict[str, Any]:
        return {"file": blobs.add(saved(self.tensors, header["tensors"]))}

    def do_edit(self, header: dict[str, Any], blobs: Blobs, *_: Any) -> dict[str, Any]:
        content, changes = edited(header["path"], header["edits"])
        return {"file": blobs.add(content), "changes": changes}

    def do_item(self, header: dict[str, Any], *_: Any) -> dict[str, Any]:
        return {"value": self.tensors.item(header["name"])}

    def do_write(self, header: dict[str, Any], *_: Any) -> None:
        self.tensors.write(header["name"], int(header["element"]), header["value"])

    def do_compare(self, header: dict[str, Any], *_: Any) -> dict[str, Any]:
        return self.tensors.compare(
            header["name"],
            header["with"],
            header.get("rtol"),
            header.get("atol"),
            bool(header.get("widen")),
            bool(header.get("skip_unwritten")),
        )

    def do_extern(self, header: dict[str, Any], *_: Any) -> dict[str, Any]:
        return call_extern(
            self.tensors,
            header["op"],
            header.get("aten"),
            header.get("args") or [],
            header.get("outputs") or [],
        )

    def do_kernel(self, header: dict[str, Any], *_: Any) -> dict[str, Any]:
        sent = sent_kernel(header)
        self.kernels[header["key"]] = sent
        return kernel_reply(sent)

    def _kernel(self, header: dict[str, Any]) -> SentKernel:
        found = self.kernels.get(header["kernel"])
        if found is None:
            raise bad_request(f"there is no kernel {header['kernel']}")
        return found

    def do_scan(self, header: dict[str, Any], _: Blobs, progress: Progress) -> dict[str, Any]:
        return scan(self._kernel(header), header, self.tensors, progress)

    def do_who_wrote(self, header: dict[str, Any], _: Blobs, progress: Progress) -> dict[str, Any]:
        return who_wrote(self._kernel(header), header, self.tensors, progress)

    def do_record(self, header: dict[str, Any], blobs: Blobs, progress: Progress) -> dict[str, Any]:
        return record(self._kernel(header), header, self.tensors, progress, blobs)

    def do_reset(self, *_: Any) -> None:
        self.tensors = SessionTensors()
        self.kernels = {}


def _place(header: dict[str, Any]) -> Placement:
    shape = [int(n) for n in header["shape"]]
    return Placement(header["name"], shape, header.get("stride"), header["dtype"])
