"""Logs of Inspect, ``.eval`` (a zip of JSON files) and ``.json``, read without Inspect.

One sample is one reply: its ``id`` names the problem, its ``epoch`` (from 1) the sample, and the
text of the last message is the completion.  A sample with an error and no reply is one whose
provider failed.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from codequake.canonical import parse_json
from codequake.documents import utf8_text
from codequake.errors import DataError
from codequake.grading.given import Given, GivenRows, required, shown, text_of
from codequake.records import StopReason

__all__ = ["MAX_SAMPLE", "log_sample", "read_zipped_log"]

MAX_SAMPLE = 64 << 20
"""Bytes of one sample, unpacked: samples carry every event of their run."""

_ATTACHMENT = "attachment://"
_HEADERS = ("header.json", "_journal/start.json")
_STOPS = {
    "stop": StopReason.STOP,
    "max_tokens": StopReason.LENGTH,
    "model_length": StopReason.LENGTH,
    "content_filter": StopReason.REFUSED,
}


def read_zipped_log(file: BinaryIO, name: str) -> GivenRows:
    """Yield the samples of an ``.eval`` file, in the order of their names.

    The first row is an error when the file is no readable zip; nothing is written to disk.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            yield from _members(archive, name)
    except zipfile.BadZipFile as error:
        yield DataError(f"not a readable Inspect log: {error}", place=name)


def _members(archive: zipfile.ZipFile, name: str) -> GivenRows:
    known = set(archive.namelist())
    model = ""
    for header in _HEADERS:
        if header in known:
            try:
                model = _model_of(_read(archive, header, name), f"{name} ({header})")
            except DataError as error:
                yield error
            break
    samples = [item for item in archive.namelist() if re.fullmatch(r"samples/.+\.json", item)]
    if not samples:
        yield DataError("the log has no samples", place=name)
    for member in sorted(samples, key=_natural):
        place = f"{name} ({member})"
        try:
            yield log_sample(_read(archive, member, name), model, place)
        except DataError as error:
            yield error


def _natural(name: str) -> list[tuple[int, str]]:
    """Sort numbers inside of names by their value."""
    return [
        (int(part), "") if part.isdecimal() and len(part) < 20 else (-1, part)
        for part in re.split(r"([0-9]+)", name)
    ]


def _read(archive: zipfile.ZipFile, member: str, name: str) -> Any:
    place = f"{name} ({member})"
    try:
        with archive.open(member) as packed:
            # What the directory says of the size may be a lie; only what comes out counts.
            raw = packed.read(MAX_SAMPLE + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        # How zipfile says: damaged, cut off, a compression that it lacks, encrypted.
        raise DataError(f"cannot be unpacked: {error or 'cut off'}", place=place) from error
    if len(raw) > MAX_SAMPLE:
        raise DataError(f"unpacks to more than {MAX_SAMPLE >> 20} MiB", place=place)
    return parse_json(utf8_text(raw, place), place=place)


def _model_of(header: Any, place: str) -> str:
    found = header.get("eval") if isinstance(header, dict) else None
    model = found.get("model", "") if isinstance(found, dict) else ""
    return text_of("eval.model", model, place)


def log_sample(value: Any, model: str, place: str) -> Given:
    """Return the reply of one sample of a log.  Raises ``DataError`` when it is not one."""
    sample = _object(value, "the sample", place)
    identity = required(sample, "id", place)
    if isinstance(identity, bool) or not isinstance(identity, int | str):
        raise DataError(f"id is {shown(identity)}; allowed: a string or an integer", place=place)
    epoch = sample.get("epoch", 1)
    if not isinstance(epoch, int) or isinstance(epoch, bool) or epoch < 1:
        raise DataError(f"epoch is {shown(epoch)}; allowed: 1, 2, 3, ...", place=place)
    output = _object(sample.get("output") or {}, "output", place)
    choices = output.get("choices") or []
    if not isinstance(choices, list):
        raise DataError(f"choices is {shown(choices)}; allowed: a list", place=place)
    choice = _object(choices[0], "a choice", place) if choices else {}
    message = _object(choice.get("message") or {}, "message", place)
    attachments = sample.get("attachments") or {}
    texts = list(_parts(message.get("content", ""), attachments, place))
    usage = _object(output.get("usage") or {}, "usage", place)
    error = _error_of(sample, output, place)
    return Given(
        place,
        "Inspect log",
        text_of("id", str(identity), place),
        "\n".join(text for kind, text in texts if kind == "text"),
        whole=False,
        model=model,
        sample=epoch - 1,
        stop_reason=StopReason.ERROR if error else _stop(choice),
        model_reported=text_of("model", output.get("model") or model, place),
        reasoning="\n".join(text for kind, text in texts if kind == "reasoning") or None,
        input_tokens=_count(usage.get("input_tokens")),
        output_tokens=_count(usage.get("output_tokens")),
        error=error,
    )


def _object(value: Any, what: str, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"{what} is {shown(value)}; allowed: an object", place=place)
    return value


def _stop(choice: dict[str, Any]) -> StopReason:
    reason = choice.get("stop_reason")
    return _STOPS.get(reason, StopReason.UNKNOWN) if isinstance(reason, str) else StopReason.UNKNOWN


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _error_of(sample: dict[str, Any], output: dict[str, Any], place: str) -> str | None:
    """The error of a sample that has no reply to grade; an error after the reply does not count."""
    if output.get("choices"):
        return None
    found = sample.get("error") or output.get("error")
    if isinstance(found, dict):
        found = found.get("message")
    if found is None or found == "":
        return "the log has no reply for this sample"
    return text_of("error", found, place)


def _parts(content: Any, attachments: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield (``text`` or ``reasoning``, text) of the content of a message."""
    if isinstance(content, str):
        yield "text", _resolved(content, attachments, place)
        return
    if not isinstance(content, list):
        raise DataError(f"content is {shown(content)}; allowed: text or parts", place=place)
    for part in content:
        fields = _object(part, "a part of the content", place)
        kind = fields.get("type")
        if kind in ("text", "reasoning"):
            text = text_of(kind, required(fields, kind, place), place)
            yield kind, _resolved(text, attachments, place)


def _resolved(text: str, attachments: Any, place: str) -> str:
    """Put in what the log keeps apart because it is long."""
    text_of("content", text, place)
    if not text.startswith(_ATTACHMENT):
        return text
    key = text.removeprefix(_ATTACHMENT)
    found = attachments.get(key) if isinstance(attachments, dict) else None
    if found is None:
        raise DataError(f"the attachment {shown(key)} is missing", place=place)
    return text_of("an attachment", found, place)
