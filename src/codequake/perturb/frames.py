"""Frames around a task: the story or the game that somebody tells it in.

``{person}`` and ``{time}`` are drawn; their capitals begin a sentence.  No sentence of a frame
holds a number, a rule about the input or a hint at a way to solve the task, and none speaks of what
the task is about, so that every frame fits every task.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["PEOPLE", "PLAYERS", "STORIES", "TIMES", "Frame", "Frames"]


@dataclass(frozen=True, slots=True)
class Frame:
    """How a telling begins, what is at stake, and what stands before what is wanted."""

    name: str
    openings: tuple[str, ...]
    turns: tuple[str, ...]
    endings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frames:
    """Frames of one kind, and what their names in braces may be."""

    frames: tuple[Frame, ...]
    lexicon: Mapping[str, tuple[str, ...]]


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
    "the new assistant",
    "a tired traveller",
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
    "when the first snow falls",
    "on a quiet Sunday",
)

PLAYERS = (
    "the red robot",
    "the silver robot",
    "the youngest player",
    "the champion of last season",
    "a player without a team",
    "the robot in the corner",
    "the captain of the blue team",
    "the player at the next table",
    "a robot with squeaking wheels",
    "the newcomer",
    "the oldest robot in the hall",
    "the player with the green hat",
)

STORIES = Frames(
    (
        Frame(
            "workday",
            (
                "{Time}, {person} sits down at a crowded desk and moves all papers aside but one.",
                "The desk was not tidied for weeks, and {time} {person} clears a corner of it.",
                "Nobody else is there to take over, so {time} {person} begins alone.",
            ),
            (
                "The boss is due any minute and will ask about exactly this.",
                "Before anything else can happen, this has to be settled.",
                "A note on the paper says only that it is urgent.",
            ),
            (
                "",
                "A cup of tea is getting cold beside it.",
                "Outside, the street is already busy.",
            ),
        ),
        Frame(
            "letter",
            (
                "{Time}, a letter arrives, and {person} reads it aloud at the door.",
                "{Person} opens an envelope {time} and unfolds two pages in small handwriting.",
                "A letter that {person} thought lost is delivered {time}.",
            ),
            (
                "It comes to the point without any greeting.",
                "After some words on the weather it asks for a favour.",
                "The first lines explain what it is about.",
            ),
            (
                "",
                "The reply should leave with the evening mail.",
                "The stamp alone is a small wonder.",
            ),
        ),
        Frame(
            "apprentice",
            (
                "A new apprentice has come, and {time} {person} explains the trade.",
                "{Time}, {person} takes the apprentice aside and begins the first lesson.",
                "The apprentice has hardly sat down when {person} starts to explain, {time}.",
            ),
            (
                '"Listen well, since I say it only once," the lesson begins.',
                "The whole lesson is about a single thing.",
                "No question is allowed before the end.",
            ),
            (
                "",
                "The apprentice nods and reaches for a keyboard.",
                "It is very quiet in the room.",
            ),
        ),
        Frame(
            "quarrel",
            (
                "Two sisters have argued all day, and {time} {person} steps between them.",
                "{Time}, a quarrel breaks out in the kitchen, and {person} is asked to judge.",
                "Nothing has divided the family like this, says {person} {time}.",
            ),
            (
                "Both tell the same facts and draw different conclusions.",
                "The dispute is over as soon as both see the same result.",
                "Here is what neither of them denies.",
            ),
            (
                "",
                "Neither of them is used to giving in.",
                "The others have stopped listening.",
            ),
        ),
        Frame(
            "discovery",
            (
                "{Time}, {person} opens a dusty cupboard and finds a notebook.",
                "Behind a loose board {person} discovers a bundle of papers {time}.",
                "An old chest is carried out {time}, and {person} lifts the lid.",
            ),
            (
                "The first page tells of a matter that was never finished.",
                "Somebody wrote it all down and then left it unsolved.",
                "The writing is faded, but it can still be read.",
            ),
            (
                "",
                "The cupboard door creaks in the draught.",
                "Dust still hangs in the air.",
            ),
        ),
        Frame(
            "newspaper",
            (
                "A reporter calls {time} and wants a story from {person}.",
                "{Time}, the local newspaper sends somebody to {person}.",
                "The editor is short of a piece, and {time} {person} has an idea for one.",
            ),
            (
                "What the article is to tell fits on half a page.",
                "The facts are quickly told, the result is not known yet.",
                "Readers will want to know how it ends.",
            ),
            (
                "",
                "The presses start soon.",
                "A photographer is waiting at the door.",
            ),
        ),
        Frame(
            "journey",
            (
                "The train stands still in open country, and {time} {person} begins to talk.",
                "{Time}, {person} shares a compartment with a stranger who cannot sleep.",
                "On a ferry that is late again, {person} passes the time {time} with a riddle.",
            ),
            (
                "It is a true case, the other passengers are told.",
                "The story takes no longer than the next stop.",
                "By the second sentence everybody has put the book away.",
            ),
            (
                "",
                "Rain runs down the windows.",
                "Somebody passes a bag of apples round.",
            ),
        ),
        Frame(
            "grandmother",
            (
                '"In my young days this was done by hand," says grandmother {time} to {person}.',
                "{Time}, grandmother tells {person} about her first position.",
                "Grandmother puts her knitting down {time}, and {person} asks about the past.",
            ),
            (
                "She remembers every detail of it.",
                "What she tells is still done in the same way.",
                "She begins with what everybody knew then.",
            ),
            (
                "",
                "The needles begin to click again.",
                "The cat has fallen asleep by now.",
            ),
        ),
        Frame(
            "market",
            (
                "Between two stalls {person} is stopped {time} by a voice that knows a puzzle.",
                "{Time}, the market is nearly empty, and {person} has time for a chat.",
                "The fishmonger waves {person} over {time} and lowers her voice.",
            ),
            (
                "It is about a case that came up last week.",
                "Everybody in the row of stalls has tried it already.",
                "The answer is worth a basket of cherries.",
            ),
            (
                "",
                "A dog barks at the pigeons.",
                "The awning flaps in the wind.",
            ),
        ),
        Frame(
            "detective",
            (
                "The inspector closes the door and {time} lays out the case before {person}.",
                "{Time}, {person} finds the inspector bent over a file.",
                "A thin file lies on the table when {person} enters the station {time}.",
            ),
            (
                "No crime was committed, and yet something has to be cleared up.",
                "Every fact in it has been checked.",
                "The case looks simple until one writes it down.",
            ),
            (
                "",
                "The lamp flickers and steadies again.",
                "A clock strikes in the next room.",
            ),
        ),
        Frame(
            "stage",
            (
                "The curtain is still down, and {time} {person} hears the plot of the new play.",
                "{Time}, {person} is handed a script with a single scene.",
                "At the rehearsal {person} steps in {time} for somebody who is ill.",
            ),
            (
                "The scene has one idea, and the actors know it by heart.",
                "A voice from the back row reads out what happens.",
                "The author insists on every word of what follows.",
            ),
            (
                "",
                "The lights go down in the hall.",
                "Somebody in the wings is humming.",
            ),
        ),
        Frame(
            "island",
            (
                "On a small island, far from the next harbour, {person} is asked for help {time}.",
                "{Time}, a boat lands on the island, and {person} jumps ashore.",
                "The islanders have gathered on the beach {time} to hear {person}.",
            ),
            (
                "They have done it in the same way for generations.",
                "The oldest of them explains how matters stand.",
                "No one on the island wants to get it wrong again.",
            ),
            (
                "",
                "The tide is coming in.",
                "Gulls circle over the pier.",
            ),
        ),
    ),
    {"person": PEOPLE, "time": TIMES},
)
