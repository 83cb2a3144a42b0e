"""How much memory a process and all of its descendants hold, as the kernel's tables say."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["tree_bytes"]

_PAGE = os.sysconf("SC_PAGE_SIZE")


def tree_bytes(pid: int) -> int:
    """Return the resident bytes of a process tree, shared files and shared memory left out.

    0 where the kernel does not list children.  Processes that end meanwhile are passed over, and
    pages that a fork shares count for each process that holds them.
    """
    total = 0
    waiting = [pid]
    for current in waiting:  # grows while it is walked
        folder = Path("/proc", str(current))
        try:
            resident, shared = (folder / "statm").read_bytes().split()[1:3]
            children = (folder / "task" / str(current) / "children").read_bytes().split()
        except (OSError, ValueError):
            continue
        total += (int(resident) - int(shared)) * _PAGE
        waiting.extend(int(child) for child in children)
    return total
