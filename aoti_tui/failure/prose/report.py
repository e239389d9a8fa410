"""A report fit for a ticket: the failures in Markdown."""

from __future__ import annotations

from aoti_tui.failure.model import Failure
from aoti_tui.failure.prose.chain import chain_lines
from aoti_tui.failure.prose.headline import short_assert
from aoti_tui.failure.prose.text import (
    bound_line,
    guard_rows,
    programs_text,
    rival_lines,
)
from aoti_tui.failure.prose.words import element_line, indexed_words, source_words


def report(
    failures: tuple[Failure, ...], wrapper: str, notes: tuple[str, ...] = (), what_if: str = ""
) -> str:
    """Markdown for a ticket: one section for each failure, then the notes.

    ``what_if`` says first that the values are those of a trial (``WHAT IF s7 = 3: …``).
    """
    parts = [f"# Failed kernel asserts in `{wrapper}`"]
    if what_if:
        parts = [f"# {what_if}", f"Every value below is that of the trial. Wrapper: `{wrapper}`."]
    if not failures:
        parts.append("No failure of the log matches a kernel of this wrapper.")
    parts.extend(_section(failure, wrapper) for failure in failures)
    if notes:
        parts.append("## Notes\n\n" + "\n".join(f"- {note}" for note in notes))
    return "\n\n".join(parts) + "\n"


def _section(failure: Failure, wrapper: str) -> str:
    # Only a trial shows an assert that holds.
    holds = failure.cause.code == "holds"
    sure = "confirmed by the given values" if failure.cause.confirmed else "possible, not confirmed"
    launches = ", ".join(f"{wrapper}:{la.line}" for la in failure.launches) or "never"
    ends = "; ".join(source_words(s) for s in failure.index.sources) or "not known"
    rows = [
        ("Kernel", f"`{failure.kernel}`, line {failure.kernel_line}"),
        ("Place", failure.place(wrapper)),
        ("Launched", launches),
        ("Programs", programs_text(failure.programs) or ("none" if holds else "not in the log")),
        ("Bound", f"`{bound_line(failure)}`"),
        ("Index", f"`{failure.index.raw or failure.index.text}`; it comes from {ends}"),
        *_data_rows(failure),
        ("Ops", ", ".join(f"`{op}`" for op in failure.aten) or "not in the wrapper"),
    ]
    table = "| | |\n|---|---|\n" + "\n".join(
        f"| {label} | {text.replace('|', chr(92) + '|')} |" for label, text in rows
    )
    parts = [
        f"## `{short_assert(failure.message)}` {'holds' if holds else 'failed'}",
        f"**{failure.cause.text}**{'' if holds else f' ({failure.cause.code}, {sure})'}.",
        table,
    ]
    if failure.cause.evidence:
        parts.append("### Evidence\n\n" + "\n".join(f"- {fact}" for fact in failure.cause.evidence))
    if failure.contradictions:
        said = "\n".join(f"- {against}" for against in failure.contradictions)
        parts.append(f"### What speaks against it\n\n{said}")
    if failure.rivals:
        said = "\n".join(f"- {rival}" for rival in rival_lines(failure))
        parts.append(f"### What else fits the log\n\n{said}")
    if not failure.cause.confirmed and failure.cause.confirm_with:
        parts.append(f"To confirm: {failure.cause.confirm_with}.")
    if failure.possible_causes:
        parts.append(
            "### Other possible causes\n\n"
            + "\n".join(
                f"- {c.code}: {c.text}. To confirm: {c.confirm_with}"
                for c in failure.possible_causes
            )
        )
    parts.append(
        "### Where the index comes from\n\n```\n"
        + "\n".join(chain_lines(failure.index.tree, 60))
        + "\n```"
    )
    if failure.model_frames:
        parts.append(
            "### Model code\n\n"
            + "\n".join(
                f"- `{f.file}:{f.line}` in {f.function}: `{f.code}`" for f in failure.model_frames
            )
        )
    guards = guard_rows(failure)
    if guards:
        parts.append("### Guards\n\n" + "\n".join(f"- {said}" for said, _ in guards))
    if failure.fixes:
        parts.append(
            "### Fixes\n\n"
            + "\n".join(f"{n}. **{f.title}**: {f.text}" for n, f in enumerate(failure.fixes, 1))
        )
    if failure.notes:
        parts.append("### Notes\n\n" + "\n".join(f"- {note}" for note in failure.notes))
    return "\n\n".join(parts)


def _data_rows(failure: Failure) -> list[tuple[str, str]]:
    """The wrong elements and the tensor that they index."""
    rows = []
    if failure.bad is not None:
        rows.append(("Wrong data", f"`{element_line(failure.bad)}`"))
    if failure.traced:
        rows.append(("Seen", failure.traced))
    if failure.indexed is not None:
        rows.append(("Indexes", indexed_words(failure.indexed)))
    return rows
