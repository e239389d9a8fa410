"""What schedulers, loggers, terminals and web pages made of a log line, undone."""

from __future__ import annotations

import html
import json
import re

_ANSI = re.compile(
    r"\x9b[0-9;?]*[ -/]*[@-~]"
    r"|\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|\^\[\[[0-9;]*m"
)
_WRITTEN_ESCAPE = re.compile(r"(?:\\{1,4}(?:u001[bB]|x1[bB]|033|e)|#033)(?=\[[0-9;]*[A-Za-z])")
_PREFIX = re.compile(
    r"""\s{0,200}(?:
      \[(?:rank|default|trainer)\s?\d+\]:?\s?                       # torchrun, torch.distributed
    | \[\d+,\d+\]<std(?:out|err)>:\s?                               # mpirun --tag-output
    | \d{1,5}:\s(?=\S)                                              # srun --label
    | \([\w.+:/-]+(?:\s+(?:pid|ip|rank)=[^)\s]*)+\)\s?              # Ray, vLLM
    | [\w./-]+\s*\|\s                                               # docker compose
    | \d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\s?\|?   # RFC 3339, loguru
    | \[\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?(?:\s[A-Z]{2}\d+)*\]\s?   # Jenkins, SGLang
    | [A-Z][a-z]{2}\s+\d{1,2}\s\d\d:\d\d:\d\d\s[\w.-]+\s[\w.@/-]+(?:\[\d+\])?:\s # journald, syslog
    | [VIWEF]\d{4}\s\d\d:\d\d:\d\d\.\d+\s+\d+\s[\w./-]+:\d+\](?:\s\[[\w/.]+\])*\s? # glog
    | (?:stdout|stderr)(?:\s[FP]\s|\s*\|\s)                         # container runtimes, fschat
    | \[?(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)\]?\s*(?::\s?|\|\s?|\s)   # loggers
    | >\s                                                           # a quotation
    )""",
    re.VERBOSE,
)
_MOST_PREFIXES = 6
_BAR = re.compile(
    r"""(?:[A-Z][\w ()-]{0,40}(?::\s{0,4}|\s))?
    (?:                                                             # tqdm
      \d{1,3}%\|[^|\n]{0,300}\|\s{0,9}[\d.kMG?]{1,20}/[\d.kMG?]{1,20}
      \s{0,4}\[[^\]\n]{0,120}\]
    |                                                               # rich
      [━╸╺╾]{2,300}\s{0,9}(?:\d{1,3}%|[\d.]{1,20}/[\d.]{1,20})
      (?:\s{1,9}[\d-]{1,4}:[\d-]{2}:[\d-]{2})?
      (?:\s{1,4}•\s{1,4}[\d-]{1,4}:[\d-]{2}:[\d-]{2})?(?:\s{1,4}[\d.]{1,12}it/s)?
    )""",
    re.VERBOSE,
)
_CODE_POINT = re.compile(r"\\{1,4}u([0-9a-fA-F]{4})")
_END_OF_RECORD = re.compile(r"(failed\.?)(?:\\{1,4}[nr])+")
# Not before any word: \t and \n also start the names of folders of a path of Windows.
_NEW_LINE = re.compile(r"""\\{1,4}n(?=[/<(\[>"]|unknown:|device assertion|\s|$)""")
_COPIED = str.maketrans({"‹": "<", "›": ">", "≤": "<=", "\u00a0": " ", "\u200b": None})
_RECORD_TEXTS = ("log", "message", "msg", "MESSAGE", "text", "textPayload", "line", "body")


def clean_line(line: str) -> str:
    """A log line without colour codes, scheduler prefixes, records' wrapping, progress bars and
    copy artefacts. It can have become several lines."""
    line = _plain(line)
    for _ in range(2):
        line = _without_prefixes(line)
        if not line.startswith("{"):
            break
        said = _record_text(line)
        if said is None:
            break
        line = _plain(said.rstrip("\r\n"))
    if "\\" in line:
        line = _unescaped(line)
    if "%|" in line or "━" in line:
        line = _BAR.sub("", line)
    return line.replace("\r", "\n") if "\r" in line else line


def _plain(line: str) -> str:
    if "\\" in line or "#033" in line:
        line = _WRITTEN_ESCAPE.sub("\x1b", line)
    if "\x1b" in line or "^[[" in line or "\x9b" in line:
        line = _ANSI.sub("", line)
    if "&" in line:
        line = html.unescape(line)
    return line if line.isascii() else line.translate(_COPIED)


def _without_prefixes(line: str) -> str:
    start = 0
    for _ in range(_MOST_PREFIXES):
        match = _PREFIX.match(line, start)
        if match is None:
            break
        start = match.end()
    return line[start:]


def _record_text(line: str) -> str | None:
    """What a JSON record of a logger says; None for what is no record."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    texts = [v for v in record.values() if isinstance(v, str)]
    for value in record.values():
        if isinstance(value, dict):
            texts += [v for v in value.values() if isinstance(v, str)]
    named = [record[k] for k in _RECORD_TEXTS if isinstance(record.get(k), str)]
    asserting = (t for t in texts if "ssert" in t)
    return next(asserting, None) or next(iter(named or texts), None)


def _unescaped(line: str) -> str:
    """A text that a logger or ``repr`` wrote with escapes, where those are surely escapes."""
    line = _CODE_POINT.sub(lambda m: chr(int(m[1], 16)), line)
    line = _END_OF_RECORD.sub(r"\1\n", line)
    return _NEW_LINE.sub("\n", line)
