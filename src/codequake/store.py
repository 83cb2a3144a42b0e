"""Records to and from JSON Lines and Parquet: typed, versioned, written in one piece.

A Parquet file holds one record type.  Its schema follows from the record's type hints, its
metadata carries the schema version and the record type, and its rows are in the order given, so
that equal records give equal bytes.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from codequake.canonical import canonical_json
from codequake.codec import field_types, from_plain, to_plain
from codequake.errors import DataError
from codequake.files import read_json_lines, replacing
from codequake.records import SCHEMA_VERSION

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "arrow_schema",
    "read_jsonl",
    "read_parquet",
    "write_jsonl",
    "write_parquet",
]

Record = TypeVar("Record")

_GROUP = 4096  # rows of a row group, which are in memory as JSON values at a time
_BATCH = 1024
_MOST_SHARED = 4096


def write_jsonl(path: Path, records: Iterable[Any]) -> None:
    """Write records as canonical JSON, one a line.  Raises ``StorageError``."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for record in records:
            file.write(canonical_json(to_plain(record)) + "\n")


def read_jsonl(path: Path, record_type: type[Record]) -> Iterator[Record]:
    """Yield the records of a JSON Lines file.  Raises ``DataError`` naming file and line."""
    for place, value in read_json_lines(path):
        yield from_plain(record_type, value, place=place)


def arrow_schema(record_type: type) -> pa.Schema:
    """Return the Arrow schema of a record type, with version and type in its metadata."""
    import pyarrow as pa

    fields = [pa.field(name, *_arrow_type(hint)) for name, hint in field_types(record_type).items()]
    metadata: dict[bytes | str, bytes | str] = {
        "codequake.record": record_type.__name__,
        "codequake.schema_version": str(SCHEMA_VERSION),
    }
    return pa.schema(fields, metadata=metadata)


def _arrow_type(hint: Any) -> tuple[Any, bool]:
    """Return (Arrow type, nullable) of a type hint."""
    import pyarrow as pa

    while isinstance(hint, typing.NewType):
        hint = hint.__supertype__
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        inner = next(item for item in typing.get_args(hint) if item is not type(None))
        return _arrow_type(inner)[0], True
    if origin is tuple:
        item, nullable = _arrow_type(typing.get_args(hint)[0])
        return pa.list_(pa.field("item", item, nullable)), False
    if dataclasses.is_dataclass(hint):
        parts = field_types(typing.cast("type", hint)).items()
        return pa.struct([pa.field(name, *_arrow_type(part)) for name, part in parts]), False
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return pa.string(), False
    return {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}[hint], False


def write_parquet(path: Path, record_type: type[Any], records: Iterable[Any]) -> None:
    """Write records of one type, in the order given.

    Integers must fit 64 bits signed (seeds are stored modulo 2**63 by their makers).  Raises
    ``StorageError`` when the file cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = arrow_schema(record_type)
    rows = iter(records)
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(
            temporary, schema, compression="zstd", version="2.6", store_schema=True
        ) as writer,
    ):
        while True:
            group = _plain_rows(islice(rows, _GROUP))
            if group:
                writer.write_table(pa.Table.from_pylist(group, schema=schema))
            if len(group) < _GROUP:
                return


def _plain_rows(records: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the JSON values of records; those that share a tuple share its list."""
    known: dict[int, tuple[Any, Any]] = {}  # with the tuple, so that its number stays its own
    rows = []
    for record in records:
        row = {}
        for name in field_types(typing.cast("type", type(record))):
            value = getattr(record, name)
            if type(value) is not tuple:
                row[name] = to_plain(value)
            elif (found := known.get(id(value))) is not None:
                row[name] = found[1]
            else:
                row[name] = to_plain(value)
                known[id(value)] = (value, row[name])
        rows.append(row)
    return rows


def read_parquet(path: Path, record_type: type[Record]) -> tuple[Record, ...]:
    """Read all records of a file; texts and lists that many of them share are held once.

    Raises ``DataError`` when the file is missing, is not Parquet, holds another record type, or
    was written by another schema version.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    found: list[Record] = []
    shared: dict[Any, Any] = {}
    try:
        with pq.ParquetFile(path, memory_map=False) as file:
            _refuse_other_records(file.schema_arrow, record_type, path)
            for batch in file.iter_batches(batch_size=_BATCH):
                for row in batch.to_pylist():
                    place = f"{path}, row {len(found) + 1}"
                    found.append(_sharing(from_plain(record_type, row, place=place), shared))
    except (OSError, pa.ArrowInvalid) as error:
        raise DataError(f"cannot be read as Parquet: {error}", place=str(path)) from error
    return tuple(found)


def _sharing(record: Record, shared: dict[Any, Any]) -> Record:
    """Return an equal record whose texts and tuples are those that earlier records have, too."""
    changed = {}
    for name in _shareable(typing.cast("type", type(record))):
        value = getattr(record, name)
        known = shared.get(value)
        if known is None:
            if len(shared) >= _MOST_SHARED:
                shared.clear()
            shared[value] = value
        elif known is not value:
            changed[name] = known
    return dataclasses.replace(typing.cast("Any", record), **changed) if changed else record


@functools.cache
def _shareable(record_type: type) -> tuple[str, ...]:
    """Return the fields that hold texts, or tuples without floats: 0.0 and -0.0 are equal."""
    return tuple(
        name
        for name, hint in field_types(record_type).items()
        if hint is str or (typing.get_origin(hint) is tuple and not _has_floats(hint))
    )


def _has_floats(hint: Any) -> bool:
    while isinstance(hint, typing.NewType):
        hint = hint.__supertype__
    if dataclasses.is_dataclass(hint):
        return any(map(_has_floats, field_types(typing.cast("type", hint)).values()))
    return hint is float or any(map(_has_floats, typing.get_args(hint)))


def _refuse_other_records(schema: pa.Schema, record_type: type, path: Path) -> None:
    metadata = schema.metadata or {}
    found = metadata.get(b"codequake.record", b"nothing of ours").decode()
    version = metadata.get(b"codequake.schema_version", b"none").decode()
    if found != record_type.__name__:
        raise DataError(f"holds {found}; expected {record_type.__name__}", place=str(path))
    if version != str(SCHEMA_VERSION):
        raise DataError(
            f"schema version {version}; this codequake reads {SCHEMA_VERSION}", place=str(path)
        )
