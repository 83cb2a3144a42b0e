"""The stories that ``storytelling`` tells: grammars with places for actor, object and goal.

``{actor}`` is one person (``the baker``), ``{object}`` is a noun phrase of any number and
``{goal}`` a noun phrase or a clause (``how many there are``); the capitals begin a sentence.  No
sentence holds a number, a rule about the input or a hint at a way to solve the task.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GRAMMARS", "PEOPLE", "REQUESTS", "TIMES", "Grammar"]


@dataclass(frozen=True, slots=True)
class Grammar:
    """A kind of story: how it begins, what is at stake, and how it may end."""

    name: str
    openings: tuple[str, ...]
    turns: tuple[str, ...]
    endings: tuple[str, ...]


PEOPLE = (
    "a neighbour",
    "an old friend",
    "the mayor",
    "a visitor from abroad",
    "a curious child",
    "the owner of the house",
    "a retired teacher",
    "the night watchman",
    "a distant cousin",
    "the postman",
)

TIMES = (
    "early in the morning",
    "late in the evening",
    "on a rainy afternoon",
    "shortly before closing time",
    "during the summer holidays",
    "on the last day of the month",
    "while everybody else is at lunch",
    "after a long journey",
    "in the middle of a thunderstorm",
    "on the day of the town festival",
)

REQUESTS = (
    "",
    "To help {actor}, ",
    "So that {actor} can go home in time, ",
    "To spare {actor} the work by hand, ",
    "Before {person} loses patience, ",
    "As a favour to {actor}, ",
)

GRAMMARS = (
    Grammar(
        "workday",
        (
            "{Time}, {actor} sits down at a crowded desk with {object}.",
            "{Actor} has been given {object}, {time}, and nobody else is there to take over.",
            "{Time}, somebody hands {actor} {object} and leaves without a word.",
        ),
        (
            "{Person} is due any minute and wants to know {goal}.",
            "The report that goes to {person} is to say {goal}.",
            "Before anything else can happen, {person} has to be told {goal}.",
        ),
        ("", "A cup of tea is getting cold beside it.", "Outside, the street is already busy."),
    ),
    Grammar(
        "letter",
        (
            "{Time}, a letter from {person} reaches {actor}; it is about {object}.",
            "{Person} writes to {actor}, {time}, and encloses {object}.",
            "{Actor} opens an envelope {time} and takes out {object}, sent by {person}.",
        ),
        (
            "The letter ends with a request: find out {goal}.",
            "All that is asked for in return is {goal}.",
            "Below the signature stands a line in pencil, which asks about {goal}.",
        ),
        ("", "The reply should leave with the evening mail.", "The stamp alone is a small wonder."),
    ),
    Grammar(
        "apprentice",
        (
            "{Actor} has a new apprentice, and {time} the training begins with {object}.",
            "{Time}, {actor} shows {object} to a new apprentice.",
            "The new apprentice is shown {object} by {actor} {time}.",
        ),
        (
            '"Tell me {goal}, and the place is yours," says {actor}.',
            "The whole lesson is about {goal}.",
            "{Person} looks over the apprentice's shoulder and asks about {goal}.",
        ),
        ("", "The apprentice nods and reaches for a keyboard.", "It is very quiet in the room."),
    ),
    Grammar(
        "quarrel",
        (
            "{Person} and {actor} have been arguing {time} about {object}.",
            "Nothing divides {actor} and {person} like {object}, which came up again {time}.",
            "{Time}, a quarrel breaks out between {actor} and {person}; it is about {object}.",
        ),
        (
            "The dispute is over as soon as both know {goal}.",
            "They will shake hands once somebody shows them {goal}.",
            "Each of them has a different idea of {goal}.",
        ),
        ("", "Neither of them is used to giving in.", "The others have stopped listening."),
    ),
    Grammar(
        "discovery",
        (
            "{Time}, {actor} opens a dusty cupboard and comes upon {object}.",
            "Nobody had looked for {object}, yet that is what {actor} finds {time}.",
            "Behind a loose board {actor} discovers {object} {time}.",
        ),
        (
            "No one has ever noted down {goal}.",
            "{Person} has been wondering for years about {goal}.",
            "What {person} would give to learn {goal}!",
        ),
        ("", "The cupboard door creaks in the draught.", "Dust still hangs in the air."),
    ),
    Grammar(
        "newspaper",
        (
            "A reporter calls on {actor} {time} and points at {object}.",
            "{Time}, the local newspaper sends somebody to ask {actor} about {object}.",
            "The local newspaper plans a piece on {actor} and {object}; the editor calls {time}.",
        ),
        (
            "What the article still lacks is {goal}.",
            "The headline depends on {goal}.",
            "Readers such as {person} are eager to learn {goal}.",
        ),
        ("", "The presses start soon.", "A photographer is waiting at the door."),
    ),
)
