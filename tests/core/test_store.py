from __future__ import annotations

import dataclasses
import stat
import typing
from enum import StrEnum
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.metrics.planting import plant

from codequake import records
from codequake.canonical import canonical_json
from codequake.codec import field_types, from_plain, to_plain
from codequake.errors import DataError, StorageError
from codequake.files import replacing, write_text
from codequake.store import arrow_schema, read_jsonl, read_parquet, write_jsonl, write_parquet

STORED = (
    records.Problem,
    records.Variant,
    records.Completion,
    records.Verdict,
    records.Estimate,
    records.Measurement,
)
text = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a record field, from its type hint alone."""
    while isinstance(hint, typing.NewType):
        hint = hint.__supertype__
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        return st.lists(values_of(arguments[0]), max_size=2).map(tuple)
    if type(None) in arguments:
        inner = next(item for item in arguments if item is not type(None))
        return st.none() | values_of(inner)
    if dataclasses.is_dataclass(hint):
        return records_of(typing.cast("type", hint))
    if issubclass(hint, StrEnum):
        return st.sampled_from(list(hint))
    return {
        str: text,
        bool: st.booleans(),
        int: st.integers(-(2**63), 2**63 - 1),
        float: st.floats(allow_nan=False, allow_infinity=False),
    }[hint]


def records_of(record_type: type) -> st.SearchStrategy[Any]:
    fields = {name: values_of(hint) for name, hint in field_types(record_type).items()}
    return st.fixed_dictionaries(fields).map(lambda values: record_type(**values))


@pytest.mark.parametrize("record_type", STORED)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_both_formats_return_what_was_written(
    record_type: type, data: st.DataObject, tmp_path: Path
) -> None:
    rows = tuple(data.draw(st.lists(records_of(record_type), max_size=3)))
    write_parquet(tmp_path / "rows.parquet", record_type, rows)
    assert read_parquet(tmp_path / "rows.parquet", record_type) == rows
    write_jsonl(tmp_path / "rows.jsonl", rows)
    assert tuple(read_jsonl(tmp_path / "rows.jsonl", record_type)) == rows


@pytest.mark.parametrize("record_type", STORED)
def test_records_are_frozen_and_hold_no_behaviour(record_type: type) -> None:
    assert record_type.__dataclass_params__.frozen  # type: ignore[attr-defined]
    own = [name for name in vars(record_type) if callable(getattr(record_type, name))]
    assert all(name.startswith("__") for name in own)


def symbol(**changes: Any) -> records.Symbol:
    return dataclasses.replace(records.Symbol("a", "slope", -1.0, 1.0), **changes)


def test_equal_records_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_parquet(tmp_path / name, records.Symbol, [symbol(), symbol(low=None)])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 3}, "Symbol.name is 3; allowed: a string"),
        ({"low": "x"}, "Symbol.low is 'x'; allowed: a number"),
        ({"low": True}, "Symbol.low is True; allowed: a number"),
        ({"integer": 1}, "Symbol.integer is 1; allowed: true or false"),
        ({"colour": "red"}, "Symbol has an unknown field 'colour'"),
    ],
)
def test_a_wrong_field_is_named_with_its_value(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=r"^f:1: ") as caught:
        from_plain(records.Symbol, {**to_plain(symbol()), **change}, place="f:1")
    assert message in str(caught.value)


def test_a_missing_field_and_a_wrong_enum_are_named() -> None:
    with pytest.raises(DataError, match="Symbol lacks the field 'meaning'"):
        from_plain(records.Symbol, {"name": "a"})
    with pytest.raises(DataError, match="Step lacks the field 'arguments'"):
        from_plain(records.Step, {"name": "a"})
    with pytest.raises(DataError, match=r"TestOutcome\.status is 'ok'; allowed: 'passed' or"):
        from_plain(records.TestOutcome, {"visible": True, "status": "ok"})
    with pytest.raises(DataError, match="allowed: an object"):
        from_plain(records.Step, [1])


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    good = canonical_json(to_plain(symbol()))
    path.write_text(f"{good}\n\n{good[:-4]}\n")
    with pytest.raises(DataError, match=r"rows\.jsonl:3: not JSON"):
        list(read_jsonl(path, records.Symbol))
    path.write_bytes(b"\xff\n")
    with pytest.raises(DataError, match=r"rows\.jsonl:1: not UTF-8"):
        list(read_jsonl(path, records.Symbol))


def test_a_file_of_another_kind_or_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    write_parquet(path, records.Symbol, [symbol()])
    with pytest.raises(DataError, match="holds Symbol; expected Step"):
        read_parquet(path, records.Step)
    path.write_bytes(b"PAR1 but not really")
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        read_parquet(path, records.Symbol)
    with pytest.raises(DataError, match="cannot be read"):
        read_parquet(tmp_path / "absent", records.Symbol)


def test_schema_says_what_may_be_null() -> None:
    schema = arrow_schema(records.Symbol)
    assert [(field.name, field.nullable) for field in schema] == [
        ("name", False),
        ("meaning", False),
        ("low", True),
        ("high", True),
        ("integer", False),
    ]


def test_a_file_is_old_or_new_and_never_half(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    write_text(path, "old")

    def fail_in_the_middle() -> None:
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_in_the_middle()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    write_text(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600


def test_a_folder_that_is_not_there_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write"):
        write_text(tmp_path / "absent" / "file", "text")


VERDICT = records.Verdict(
    "p",
    "v",
    "m",
    0,
    records.Status.PASSED,
    (records.TestOutcome(True, records.TestStatus.PASSED),) * 3,
    "",
    "x = 1",
    "fence",
    None,
    "g",
)


def test_a_long_file_is_written_in_groups_and_read_in_order(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    path = tmp_path / "verdicts.parquet"
    many = [dataclasses.replace(VERDICT, sample=number) for number in range(10_000)]
    write_parquet(path, records.Verdict, iter(many))
    with pq.ParquetFile(path) as file:
        groups = [file.metadata.row_group(n).num_rows for n in range(file.metadata.num_row_groups)]
    assert groups == [4096, 4096, 1808]
    assert read_parquet(path, records.Verdict) == tuple(many)
    again = tmp_path / "again.parquet"
    write_parquet(again, records.Verdict, many)
    assert again.read_bytes() == path.read_bytes()


def test_what_many_rows_share_is_held_once(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.parquet"
    write_parquet(path, records.Verdict, [VERDICT, dataclasses.replace(VERDICT, sample=1)])
    one, two = read_parquet(path, records.Verdict)
    assert one.program is two.program
    assert one.tests is two.tests


def test_the_sign_of_a_zero_is_not_shared(tmp_path: Path) -> None:
    tokens = [(records.TokenScore("a", zero, None),) for zero in (0.0, -0.0)]
    rows = [
        records.Completion(
            "p", "v", "m", 0, "k", "a", None, "m", records.StopReason.STOP, 1, 1, None,
            tokens=item,
        )
        for item in tokens
    ]  # fmt: skip
    path = tmp_path / "completions.parquet"
    write_parquet(path, records.Completion, rows)
    found = read_parquet(path, records.Completion)
    assert [str(item.tokens) for item in found] == [str(item) for item in tokens]


def test_a_group_that_ends_with_the_file_is_no_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.parquet"
    for count in (0, 4096):
        write_parquet(path, records.Verdict, count * [VERDICT])
        assert len(read_parquet(path, records.Verdict)) == count


def test_verdicts_from_before_there_were_marks_are_read(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.parquet"
    verdict = plant({"p": {"clean": "F"}}).verdicts[0]
    marked = dataclasses.replace(verdict, outputs=("=", "!crashed"))
    write_parquet(path, records.Verdict, [marked])
    assert read_parquet(path, records.Verdict) == (marked,)
    pq.write_table(pq.read_table(path).drop_columns(["outputs"]), path)
    assert read_parquet(path, records.Verdict) == (verdict,)
