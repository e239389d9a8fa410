"""Following a value backwards, as the key w does from one step to the next."""

from __future__ import annotations

from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.given import Given
from aoti_tui.replay.recorded.recording import first_failing, last_step, who_made
from aoti_tui.session.values.temporaries import operand_to_follow
from tests.cases import DATA
from tests.workers import shared_worker


def test_a_fill_value_is_followed_through_the_condition_that_chose_it() -> None:
    """The index 83 is written down in the kernel; that no row equals the largest one, because it
    is a NaN, is why it was taken. The way back leads through that comparison to the input."""
    folder = DATA / "nan_router"
    incident = open_incident(
        folder / "wrapper.cpp",
        log=(folder / "error.log").read_text(),
        given=Given(inputs=folder / "inputs.pt", constants=folder / "constants.pt"),
        client=shared_worker(),
    )
    failure = incident.failures[0]
    assert failure.launch is not None
    session, program = incident.session(), incident.kernel_program(failure.kernel)
    recording = session.record(failure.launch, failure.programs[0])
    failing = first_failing(recording)
    assert failing is not None
    step = last_step(recording, "tmp28", failing.position, failing)
    seen = []
    while step is not None:
        made = who_made(recording, program, step.position, (0, 0))
        seen.append(step.name)
        operand = operand_to_follow(made, program) if not made.loads else None
        step = operand.step if operand is not None else None
    assert seen[:6] == ["tmp28", "tmp27", "tmp25", "tmp24", "tmp20", "tmp15"]
    assert "tmp23" not in seen, "the number that the source writes down"
    assert seen[-1] == "tmp0", "what was loaded: the router's scores"
