"""The files of a study folder, and which of them still answer to the study's settings."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path
from typing import Any

from codequake.canonical import canonical_json, parse_json
from codequake.codec import from_plain, to_plain
from codequake.errors import DataError, UsageError
from codequake.files import make_folder, read_text, write_text
from codequake.study.config import StudyConfig, settings_of
from codequake.study.model_settings import ModelSettings, same_model

__all__ = ["FREE_SETTINGS", "StudyFolder", "joined_settings"]

FREE_SETTINGS = frozenset({"models", "model_settings", "budget", "prices"})
"""What may differ between two runs of one study: who is asked and where, and for how much."""


class StudyFolder:
    """Paths of a study's files.

    ``study.json`` holds the settings in canonical form.  ``stages.json`` holds the content key of
    the inputs that each stage was made from, so that a stage is repeated exactly when something
    before it changed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.settings = path / "study.json"
        self.problems = path / "problems.parquet"
        self.versions = path / "versions.parquet"
        self.notes = path / "notes.json"
        self.variants = path / "variants.parquet"
        self.oracles = path / "oracles.parquet"
        self.skipped = path / "skipped.jsonl"
        self.plan = path / "plan.parquet"
        self.chains = path / "chains.parquet"
        self.completions = path / "completions"
        self.verdicts = path / "verdicts.parquet"
        self.measurements = path / "measurements.parquet"
        self.estimates = path / "estimates.parquet"
        self.report = path / "report"
        self.audit = path / "audit.json"
        self._stages = path / "stages.json"

    def open(self, config: StudyConfig) -> StudyConfig:
        """Bind the folder to a study and return the settings to use.

        A new folder takes the settings.  An old one takes more models, more samples, another budget
        and other prices; any other difference is a ``UsageError`` that names it, since mixed
        settings could not be compared.
        """
        if not self.settings.exists():
            if self.path.exists() and not self.path.is_dir():
                raise UsageError(f"--out {self.path} is a file; allowed: a folder")
            if self.path.is_dir() and any(self.path.iterdir()):
                raise UsageError(
                    f"--out {self.path} holds files that are not a study; name a new folder"
                )
            make_folder(self.path)
            self.write_settings(config)
            return config
        old = self.read_settings()
        models = (*old.models, *(name for name in config.models if name not in old.models))
        settings = joined_settings(old, config, self.path)
        for name, value in to_plain(config).items():
            if name in FREE_SETTINGS or to_plain(old)[name] == value:
                continue
            if name == "samples":
                if config.samples < old.samples:
                    raise UsageError(
                        f"--out {self.path} holds a study with samples = {old.samples}, this one "
                        f"has {config.samples}; allowed: {old.samples} or more"
                    )
            else:
                raise UsageError(
                    f"--out {self.path} holds a study with {name} = "
                    f"{canonical_json(to_plain(old)[name])}, this one has {canonical_json(value)}; "
                    "name another folder"
                )
        merged = dataclasses.replace(config, models=models, model_settings=settings)
        if merged != old:
            self.write_settings(merged)
        return merged

    def discard(self) -> None:
        """Remove what the first stages of a new study wrote; for studies without any reply."""
        early = (
            self.variants,
            self.oracles,
            self.skipped,
            self.problems,
            self.versions,
            self.notes,
        )
        for path in (*early, self._stages, self.settings):
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.path.rmdir()  # it stays when somebody else put something in

    def read_settings(self) -> StudyConfig:
        """Return the settings of an existing study.  Raises ``UsageError`` when there is none."""
        if not self.settings.is_file():
            raise UsageError(f"{self.path} is not a study folder: it has no {self.settings.name}")
        place = str(self.settings)
        return from_plain(StudyConfig, parse_json(read_text(self.settings), place=place))

    def read_notes(self) -> tuple[str, ...]:
        """Return what there is to say of the study's sets; nothing where it was never written."""
        if not self.notes.exists():
            return ()
        value = parse_json(read_text(self.notes), place=str(self.notes))
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise DataError("not a list of sentences", place=str(self.notes))
        return tuple(value)

    def write_settings(self, config: StudyConfig) -> None:
        """Bind the folder to a study.  Raises ``StorageError``."""
        write_text(self.settings, canonical_json(to_plain(config)) + "\n")

    def stage_key(self, stage: str) -> str | None:
        """Return the key that a stage's file was made from; ``None`` when it was not made."""
        found = self._read_stages().get(stage)
        return found if isinstance(found, str) else None

    def set_stage_key(self, stage: str, key: str) -> None:
        """Record that a stage's file is complete and was made from ``key``."""
        write_text(self._stages, canonical_json({**self._read_stages(), stage: key}) + "\n")

    def _read_stages(self) -> dict[str, Any]:
        if not self._stages.exists():
            return {}
        value = parse_json(read_text(self._stages), place=str(self._stages))
        if not isinstance(value, dict):
            raise DataError("not an object; remove the file", place=str(self._stages))
        return value


def joined_settings(old: StudyConfig, new: StudyConfig, path: Path) -> tuple[ModelSettings, ...]:
    """Return the settings of all models; of those that both ask, how to reach them is the new one.

    Raises ``UsageError`` where what decides the replies of a model differs.
    """
    for name in new.models:
        if name in old.models and not same_model(settings_of(old, name), settings_of(new, name)):
            raise UsageError(
                f"--out {path} holds a study that asks {name} with other settings (model, args, "
                "decoding or group); name another folder, or give this model another name"
            )
    kept = [item for item in old.model_settings if item.name not in new.models]
    return (*kept, *new.model_settings)
