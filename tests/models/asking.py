from __future__ import annotations

from collections.abc import Callable

from codequake.journal import Entry
from codequake.keys import new_request
from codequake.models import AnswerCounts, OpenModel
from codequake.records import JsonText, Message, Request

Asker = Callable[..., tuple[AnswerCounts, dict[str, Entry]]]


def requests_for(model: OpenModel, prompts: list[str], decoding: str = "{}") -> list[Request]:
    return [
        new_request(model.name, model.engine, [Message("user", text)], JsonText(decoding), 0)
        for text in prompts
    ]
