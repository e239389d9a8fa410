"""Several graphs of one run of torch.compile: the navigator lists them, and one is a key away."""

from __future__ import annotations

from aoti_tui.artifacts.given import Given
from aoti_tui.session.request import OpenRequest
from aoti_tui.tui.panes.navigator import Navigator
from tests.cases import DATA
from tests.tui.driving import opened

FOLDER = DATA / "output_code" / "bucketize"
REQUEST = OpenRequest(
    FOLDER,
    log=FOLDER / "error.table_one_short.log",
    given=Given(inputs=FOLDER / "users_inputs.table_one_short.pt"),
    warm_up=False,
)


async def test_another_graph_is_chosen_in_the_navigator() -> None:
    async with opened(REQUEST, size=(120, 40)) as user:
        state = user.app.session.state
        assert state.incident is not None
        assert state.incident.index.graph == "1_inference", "the one that takes the inputs"
        listed = [e for e in user.screen.query_one(Navigator).entries if e.group == "Graphs"]
        assert [(e.label, e.failed) for e in listed] == [
            ("0_inference", False),
            ("1_inference", True),
        ]
        user.screen.query_one(Navigator).go_to_group("Graphs")
        await user.press("enter")
        await user.see("Graph 0_inference. 1 failure of the log fits it.")
        incident = user.app.session.state.incident
        assert incident is not None
        assert incident.index.graph == "0_inference"
        assert [one.kernel for one in incident.failures] == [
            "triton_poi_fused_index_mul_unsqueeze_1"
        ]
