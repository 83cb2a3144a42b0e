"""What this machine can isolate and compile, and the remedy for what it cannot."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from codequake.errors import CodequakeError
from codequake.sandbox.bubblewrap import (
    INSTALL_HINT,
    BubblewrapBackend,
    counts_processes_per_sandbox,
    sandbox_user,
)
from codequake.sandbox.interpreter import find_interpreter
from codequake.sandbox.jobs import Care, Job, Mode
from codequake.sandbox.native_program import find_native_program
from codequake.sandbox.seccomp import MACHINES
from codequake.sandbox.toolchains import Toolchain, toolchains
from codequake.tasks import Language

__all__ = ["Finding", "diagnose"]

# (file of the kernel, value that forbids, how to allow)
_SWITCHES = (
    ("/proc/sys/user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=10000"),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)


_ALLOW_RIGHTS = (
    "let bwrap give rights inside of its own namespaces (no AppArmor profile for bwrap that denies "
    "them); programs are graded all the same, tens of milliseconds each"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that grading needs or likes; ``remedy`` is empty when it is there."""

    name: str
    ok: bool
    required: bool
    detail: str
    remedy: str


def diagnose() -> tuple[Finding, ...]:
    """Look at what grading needs or likes, and try what can be tried."""
    return (
        _bubblewrap(),
        _namespaces(),
        _workers(),
        _filter(),
        _interpreter(),
        *(_compiler(chain) for chain in toolchains().values() if chain.build),
        _process_limit(),
        _control_groups(),
        _fast_compiler(),
    )


def _bubblewrap() -> Finding:
    program = shutil.which("bwrap")
    if program is None:
        return Finding("bubblewrap", False, True, "bwrap is not installed", INSTALL_HINT)
    return Finding("bubblewrap", True, True, _said([program, "--version"])[1] or program, "")


def _namespaces() -> Finding:
    name = "user namespaces"
    program = shutil.which("bwrap")
    blocked = [
        (path, remedy) for path, forbids, remedy in _SWITCHES if _first_line(Path(path)) == forbids
    ]
    if program is None:
        return Finding(name, False, True, "cannot be tried without bubblewrap", INSTALL_HINT)
    works, said = _said(
        [program, "--unshare-all", "--ro-bind", "/", "/", "--", "/usr/bin/true"],
        user=sandbox_user(),
    )
    if works:
        return Finding(name, True, True, "a program can be given namespaces of its own", "")
    if blocked:
        path, remedy = blocked[0]
        return Finding(name, False, True, f"forbidden by {path}", f"as root: {remedy}")
    remedy = (
        "let this user create user namespaces; inside a container, start it with a seccomp and "
        "AppArmor profile that allows them (docker: --security-opt seccomp=unconfined)"
    )
    return Finding(name, False, True, said or "bwrap failed without a word", remedy)


def _workers() -> Finding:
    """Run programs of ours in both kinds of sandboxes that serve many."""
    name = "fast grading"
    try:
        backend = BubblewrapBackend()
        source = "def probe(x):\n    return x\n"
        trial = Job(Language.PYTHON, source, Mode.CALL, "probe", ("[1]",))
        cares = [backend.run_all([trial], care)[0].care for care in (Care.TOGETHER, Care.FORKED)]
        backend.kill_all()
    except CodequakeError as error:
        return Finding(name, False, False, str(error), "see the other lines")
    if cares == [Care.TOGETHER, Care.FORKED]:
        return Finding(name, True, False, "sandboxes that serve many programs start", "")
    detail = backend.trouble or "programs that could share a sandbox are not let into one"
    return Finding(name, False, False, detail, _ALLOW_RIGHTS)


def _filter() -> Finding:
    name = "system-call filter"
    machine = platform.machine()
    if machine not in MACHINES:
        detail = f"no table of system calls for {machine}"
        return Finding(name, False, True, detail, f"use a machine of {' or '.join(MACHINES)}")
    if not Path("/proc/sys/kernel/seccomp").is_dir():
        remedy = "use a kernel with CONFIG_SECCOMP_FILTER"
        return Finding(name, False, True, "the kernel has no seccomp filters", remedy)
    return Finding(name, True, True, f"seccomp on {machine}", "")


def _interpreter() -> Finding:
    name = "Python for programs"
    try:
        found = find_interpreter(without_rights=sandbox_user() is not None)
    except CodequakeError as error:
        return Finding(name, False, True, str(error), "apt-get install python3")
    place = found.program if found.prefix is None else f"a copy in {found.prefix}"
    return Finding(name, True, True, f"{found.version} at {place}", "")


def _compiler(chain: Toolchain) -> Finding:
    name, program = f"{chain.title} compiler", chain.build[0]
    works, said = _said([program, "--version"])
    remedy = f"apt-get install {chain.packages}"
    if not works:
        missing = f"no {program}: {chain.title} is not graded"
        return Finding(name, False, False, missing, remedy)
    if not Path(chain.headers).exists():
        missing = f"no headers at {chain.headers}: {chain.title} is not graded"
        return Finding(name, False, False, missing, remedy)
    return Finding(name, True, False, said, "")


def _process_limit() -> Finding:
    name = "process limit"
    if counts_processes_per_sandbox():
        return Finding(name, True, False, "processes are counted for each sandbox", "")
    remedy = "use Linux 5.14 or later; fork bombs end at the time limit until then"
    return Finding(name, False, False, f"Linux {platform.release()} counts per user", remedy)


def _control_groups() -> Finding:
    root = Path("/sys/fs/cgroup")
    version = "2" if (root / "cgroup.controllers").exists() else "1"
    detail = f"version {version}, not used: memory is limited for each process (address space)"
    return Finding("control groups", True, False, detail, "")


def _fast_compiler() -> Finding:
    name = "fast C path"
    found = find_native_program()
    if found.path is not None:
        return Finding(name, True, False, "libtcc compiles in memory; gcc decides what fails", "")
    remedy = "apt-get install libtcc-dev (optional: it makes grading C faster, no verdict differs)"
    return Finding(name, False, False, found.why, remedy)


def _first_line(path: Path) -> str | None:
    try:
        return path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _said(command: list[str], user: int | None = None) -> tuple[bool, str]:
    """Run a short trusted command; return whether it worked and the first line that it said."""
    groups: list[int] | None = [] if user is not None and os.geteuid() == 0 else None
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd="/",
            user=user,
            group=user,
            extra_groups=groups,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return False, str(error)
    lines = (done.stdout + done.stderr).strip().splitlines()
    return done.returncode == 0, lines[0] if lines else ""
