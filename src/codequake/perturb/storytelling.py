"""The task inside a story, or inside a game with players or robots and a challenge."""

from __future__ import annotations

from collections.abc import Iterator

from codequake.perturb.frames import STORIES
from codequake.perturb.games import GAMES
from codequake.perturb.spec import Draft, Freedom, Request, perturbation
from codequake.perturb.telling import told_in_frames
from codequake.records import Problem, TaskKind

__all__ = ["gamification", "storytelling"]


@perturbation("storytelling", task=TaskKind.KEPT, freedoms=(Freedom.WORDING,))
def storytelling(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield stories without end, each in a world and a frame that are drawn."""
    return told_in_frames(problem, request, STORIES)


@perturbation("gamification", task=TaskKind.KEPT, freedoms=(Freedom.WORDING,))
def gamification(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield games without end, each in a world and a frame that are drawn."""
    return told_in_frames(problem, request, GAMES)
