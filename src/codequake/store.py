"""Records to and from JSON Lines and Parquet: typed, versioned, written in one piece.

A Parquet file holds one record type.  Its schema follows from the record's type hints, its
metadata carries the schema version and the record type, and its rows are in the order given, so
that equal records give equal bytes.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterable, Iterator
from enum import StrEnum
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
    rows = [to_plain(record) for record in records]
    table = pa.Table.from_pylist(rows, schema=schema)
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", version="2.6", store_schema=True)


def read_parquet(path: Path, record_type: type[Record]) -> tuple[Record, ...]:
    """Read all records of a file.

    Raises ``DataError`` when the file is missing, is not Parquet, holds another record type, or
    was written by another schema version.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, memory_map=False)
    except (OSError, pa.ArrowInvalid) as error:
        raise DataError(f"cannot be read as Parquet: {error}", place=str(path)) from error
    metadata = table.schema.metadata or {}
    found = metadata.get(b"codequake.record", b"nothing of ours").decode()
    version = metadata.get(b"codequake.schema_version", b"none").decode()
    if found != record_type.__name__:
        raise DataError(f"holds {found}; expected {record_type.__name__}", place=str(path))
    if version != str(SCHEMA_VERSION):
        raise DataError(
            f"schema version {version}; this codequake reads {SCHEMA_VERSION}", place=str(path)
        )
    return tuple(
        from_plain(record_type, row, place=f"{path}, row {number}")
        for number, row in enumerate(table.to_pylist(), start=1)
    )
