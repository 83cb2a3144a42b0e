"""The exception tree, split by who must act.

    CodequakeError
    |-- UserError                 the caller must change something (exit 2)
    |   |-- UsageError            an argument or an option is wrong
    |   |-- DataError             a file, a line or a field is wrong
    |   |-- NotAvailableError     named in the contract, not part of this version
    |   `-- UnknownNameError      a name that no table holds
    |-- MachineError              this machine must change (exit 1)
    |   |-- SandboxUnavailableError
    |   |-- ToolMissingError      a program, an extra or a model file is missing
    |   `-- StorageError          a disk is full, a folder cannot be written, a row is damaged
    |-- NothingToReturnError      the question was right, the answer is empty (exit 3)
    |-- CheckFailedError          a check that the user asked for did not hold (exit 1)
    `-- InternalError             a promise of our own is broken: a defect to report

Every message is one sentence that names the argument or the file, shows the value, and says what
is allowed.  What a model wrote wrongly is never an exception: it is a status in a record.
"""

from __future__ import annotations

__all__ = [
    "CheckFailedError",
    "CodequakeError",
    "DataError",
    "InternalError",
    "MachineError",
    "NotAvailableError",
    "NothingToReturnError",
    "SandboxUnavailableError",
    "StorageError",
    "ToolMissingError",
    "UnknownNameError",
    "UsageError",
    "UserError",
]


class CodequakeError(Exception):
    """Root of all that codequake raises on purpose; ``exit_code`` is what the CLI returns."""

    exit_code = 1


class UserError(CodequakeError, ValueError):
    """The caller must change something; the message says what is allowed."""

    exit_code = 2


class UsageError(UserError):
    """An argument or an option is wrong."""


class DataError(UserError):
    """A file, a line or a field is wrong.

    ``place`` is ``file``, ``file:line`` or empty when the data did not come from a file.
    """

    def __init__(self, message: str, *, place: str = "") -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.place = place


class NotAvailableError(UserError):
    """The command line promises it, this version does not have it yet."""


class UnknownNameError(UserError, LookupError):
    """A name that no table holds; the message lists near names."""


class MachineError(CodequakeError, RuntimeError):
    """This machine must change; the message names the command that repairs it."""


class SandboxUnavailableError(MachineError):
    """Programs cannot be isolated here, so nothing is graded."""


class ToolMissingError(MachineError):
    """A program, an optional package or a model file is missing."""


class StorageError(MachineError, OSError):
    """A disk is full, a folder cannot be written, or a stored row is damaged."""


class NothingToReturnError(CodequakeError):
    """The question was right and the answer is empty."""

    exit_code = 3


class CheckFailedError(CodequakeError):
    """A check that the user asked for did not hold."""


class InternalError(CodequakeError, AssertionError):
    """A promise of codequake itself is broken."""
