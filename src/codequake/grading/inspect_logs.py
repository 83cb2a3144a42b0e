"""Logs of Inspect, ``.eval`` (a zip of JSON files) and ``.json``, read without Inspect.

One sample is one reply: its ``id`` names the problem, its ``epoch`` (from 1) the sample, and the
text of the last message is the completion.  A sample with an error and no reply is one whose
provider failed.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from codequake.canonical import parse_json
from codequake.documents import utf8_text
from codequake.errors import DataError
from codequake.grading.given import Given, GivenRows, required, shown, text_of
from codequake.records import StopReason

__all__ = [
    "MAX_SAMPLE",
    "log_sample",
    "read_header",
    "read_member",
    "read_zipped_log",
    "sample_members",
    "sample_texts",
]

MAX_SAMPLE = 64 << 20
"""Bytes of one sample, unpacked: samples carry every event of their run."""

_ZSTANDARD = 93
"""The number of this compression in the format of zip files."""
_LOCAL = struct.Struct("<4s2xH18xHH")
"""Of a member's local header: mark, flags, and how long name and extra field behind it are."""
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)
"""How it is said: damaged, damaged, cut off, a compression unknown, encrypted, damaged."""

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
    model = ""
    try:
        head = read_header(archive, name)
        model = _model_of(head, name)
    except DataError as error:
        yield error
    members = sample_members(archive)
    if not members:
        yield DataError("the log has no samples", place=name)
    for member in members:
        place = f"{name} ({member})"
        try:
            yield log_sample(read_member(archive, member, name), model, place)
        except DataError as error:
            yield error


def read_header(archive: zipfile.ZipFile, name: str) -> Any:
    """Return the header of a log: that of its end, or of its start where it was cut off.

    A log without any gives an empty one.  Raises ``DataError`` when it is damaged.
    """
    known = set(archive.namelist())
    for header in _HEADERS:
        if header in known:
            return read_member(archive, header, name)
    return {}


def sample_members(archive: zipfile.ZipFile) -> list[str]:
    """Return the names of the samples of a log in their order, each once."""
    names = {item for item in archive.namelist() if re.fullmatch(r"samples/.+\.json", item)}
    return sorted(names, key=_natural)


def _natural(name: str) -> list[tuple[int, str]]:
    """Sort numbers inside of names by their value."""
    return [
        (int(part), "") if part.isdecimal() and len(part) < 20 else (-1, part)
        for part in re.split(r"([0-9]+)", name)
    ]


def read_member(archive: zipfile.ZipFile, member: str, name: str) -> Any:
    """Return the JSON value of a member; what is no number in it is ``None``.

    Raises ``DataError`` when it cannot be unpacked, is too long or is no JSON.
    """
    place = f"{name} ({member})"
    try:
        if archive.getinfo(member).compress_type == _ZSTANDARD:
            raw = _unpacked(archive, member)
        else:
            with archive.open(member) as packed:
                # What the directory says of the size may be a lie; only what comes out counts.
                raw = packed.read(MAX_SAMPLE + 1)
    except _BROKEN as error:
        raise DataError(f"cannot be unpacked: {error or 'cut off'}", place=place) from error
    if len(raw) > MAX_SAMPLE:
        raise DataError(f"unpacks to more than {MAX_SAMPLE >> 20} MiB", place=place)
    return parse_json(utf8_text(raw, place), place=place, nan_as_null=True)


def _unpacked(archive: zipfile.ZipFile, member: str) -> bytes:
    """Return what zipfile cannot unpack before Python 3.14: Zstandard, as Inspect writes it now.

    Raises one of ``_BROKEN``.
    """
    import pyarrow as pa

    info, file = archive.getinfo(member), archive.fp
    assert file is not None
    file.seek(info.header_offset)
    head = file.read(_LOCAL.size)
    if len(head) < _LOCAL.size:
        raise EOFError
    mark, flags, name, extra = _LOCAL.unpack(head)
    if mark != b"PK\x03\x04" or flags & 1:
        raise zipfile.BadZipFile("encrypted, or no local header where the directory has one")
    if info.compress_size > MAX_SAMPLE:
        raise zipfile.BadZipFile(f"it has more than {MAX_SAMPLE >> 20} MiB, packed")
    file.seek(name + extra, io.SEEK_CUR)
    packed = file.read(info.compress_size)
    if len(packed) < info.compress_size:
        raise EOFError
    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
        raw: bytes = stream.read(MAX_SAMPLE + 1)
    if len(raw) <= MAX_SAMPLE and zlib.crc32(raw) != info.CRC:
        raise zipfile.BadZipFile("bad CRC-32")
    return raw


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


def sample_texts(sample: dict[str, Any], content: Any, place: str) -> str:
    """Return the text of a message of a sample.  Raises ``DataError`` when it is none."""
    attachments = sample.get("attachments") or {}
    parts = _parts(content, attachments, place)
    return "\n".join(text for kind, text in parts if kind == "text")


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
