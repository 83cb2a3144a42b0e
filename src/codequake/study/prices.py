"""What tokens cost: the price table of a study, and one in a file that goes before it."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path

from codequake.codec import from_plain
from codequake.errors import DataError
from codequake.files import read_text
from codequake.study.config import Price, StudyConfig, check_prices_given, settings_of
from codequake.study.lines import Lines

__all__ = ["is_free", "named_prices", "with_prices"]

_OWN = "codequake/"


@dataclasses.dataclass(frozen=True, slots=True)
class _Table:
    prices: tuple[Price, ...]


def is_free(config: StudyConfig, model: str) -> bool:
    """Whether a model of the study is one of codequake's own, which run in this process."""
    return settings_of(config, model).model.startswith(_OWN)


def named_prices(config: StudyConfig) -> tuple[Price, ...]:
    """Return the prices of the study's models under the names that they have in it.

    A price may name a model as the study does or as Inspect does; the first goes before.  A model
    without a price is not among them.
    """
    table = {price.model: price for price in config.prices}
    found = []
    for name in config.models:
        price = table.get(name) or table.get(settings_of(config, name).model)
        if price is not None:
            found.append(dataclasses.replace(price, model=name))
    return tuple(found)


def with_prices(config: StudyConfig, path: Path) -> StudyConfig:
    """Return the study with the prices of a file, each in place of the study's own for its model.

    The file holds ``[[prices]]`` as a study file does.  Raises ``DataError`` with file and line.
    """
    text = read_text(path)
    try:
        table = from_plain(_Table, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"not TOML: {error}", place=str(path)) from error
    except DataError as error:
        message = str(error).removeprefix("_Table.").replace("_Table ", "the file ")
        setting = message.split(" ", maxsplit=1)[0]
        raise DataError(message, place=f"{path}:{Lines(text).of(setting)}") from error

    def refuse(key: str, message: str) -> None:
        raise DataError(message, place=f"{path}:{Lines(text).of(key)}")

    check_prices_given(table.prices, refuse)
    names = {price.model for price in table.prices}
    kept = tuple(price for price in config.prices if price.model not in names)
    return dataclasses.replace(config, prices=(*kept, *table.prices))
