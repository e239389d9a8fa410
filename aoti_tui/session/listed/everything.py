"""All that has a name in what was opened: a wrapper, or a script's run."""

from __future__ import annotations

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.script import ScriptIncident
from aoti_tui.session.listed.entries import Entry, entries
from aoti_tui.session.listed.script_entries import script_entries


def listed(incident: Incident) -> tuple[Entry, ...]:
    """Its entries, in the order of their groups."""
    return script_entries(incident) if isinstance(incident, ScriptIncident) else entries(incident)
