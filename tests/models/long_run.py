"""Ask the fake provider for many replies: a process that tests kill, interrupt and starve.

Arguments: journal folder, log file, number of prompts, how many are answered before all others
wait for ever (0: all are answered), largest file in bytes (0: no limit).  Asks only what the
journal does not hold.
"""

from __future__ import annotations

import dataclasses
import resource
import sys
from pathlib import Path

from tests.models import fake_provider  # noqa: F401 - registers the provider

from codequake.errors import StorageError
from codequake.journal import Journal, read_journal
from codequake.keys import new_request
from codequake.models import answer_requests, open_model
from codequake.records import JsonText, Message


def main(folder: Path, log: str, count: int, answers: int, largest: int) -> int:
    if largest:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    arguments = {"log": log, "hold_after": str(answers), "connections": "4"}
    # Arguments are part of what a reply is known by, and these differ from run to run.
    model = dataclasses.replace(open_model("fake/echo", arguments=arguments), engine="")
    known = read_journal(folder)
    requests = [
        new_request(model.name, model.engine, [Message("user", f"p{n}")], JsonText("{}"), 0)
        for n in range(count)
    ]
    missing = [request for request in requests if request.key not in known]
    try:
        with Journal(folder) as journal:
            counts = answer_requests(model, missing, journal)
    except KeyboardInterrupt:
        return 130
    except StorageError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{counts.answered}\n")
    return 0


if __name__ == "__main__":
    folder, log, count, answers, largest = sys.argv[1:]
    sys.exit(main(Path(folder), log, int(count), int(answers), int(largest)))
