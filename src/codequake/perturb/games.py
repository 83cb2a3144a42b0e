"""Frames around a task that make a game of it: players or robots, and a challenge."""

from __future__ import annotations

from codequake.perturb.frames import PLAYERS, TIMES, Frame, Frames

__all__ = ["GAMES"]

GAMES = Frames(
    (
        Frame(
            "arena",
            (
                "Welcome to the arena, where {player} is waiting for a rival.",
                "The gates of the arena open, and {player} rolls up to the starting line.",
                "Trumpets sound in the arena as {player} bows to the crowd.",
            ),
            (
                "The challenge of this round is read out by the referee.",
                "Only who masters the following challenge stays in the contest.",
                "A banner unrolls, and the challenge can be read by all.",
            ),
            (
                "",
                "The crowd holds its breath.",
                "A gong starts the round.",
            ),
        ),
        Frame(
            "level",
            (
                "A new level is unlocked, and {player} steps onto the platform.",
                "The screen turns dark, then the next level appears before {player}.",
                "With a rising tune the game lets {player} into a hidden level.",
            ),
            (
                "The boss of this level sets a puzzle instead of a fight.",
                "To pass the level, the mission below has to be completed.",
                "The instructions of the level scroll over the screen.",
            ),
            (
                "",
                "A golden key glitters behind the exit.",
                "The music grows faster.",
            ),
        ),
        Frame(
            "board",
            (
                "The board is unfolded, and {player} draws the first event card.",
                "Dice rattle, pieces move, and {player} lands on the field with the star.",
                "It is game night, and {player} shuffles the challenge cards.",
            ),
            (
                "The card that is turned over says what has to be done.",
                "Whoever lands here has to meet the challenge on the card.",
                "The rule book has a page about this very card.",
            ),
            (
                "",
                "The hourglass is turned.",
                "The others lean over the table.",
            ),
        ),
        Frame(
            "escape",
            (
                "The door of the escape room falls shut behind {player}.",
                "Locked in with nothing but a torch, {player} looks for a way out.",
                "The timer of the escape room starts, and {player} finds a sealed envelope.",
            ),
            (
                "The lock opens for who solves what is written on the wall.",
                "Every clue in the room points at the same challenge.",
                "A voice from the ceiling explains the challenge.",
            ),
            (
                "",
                "The lamp above the door is still red.",
                "Something clicks behind the bookshelf.",
            ),
        ),
        Frame(
            "league",
            (
                "In the league of thinking machines, {player} takes the lead.",
                "It is the final of the robot league, and {player} is oiled and ready.",
                "The league has a new fixture: {player} against the clock.",
            ),
            (
                "Points are given for a correct answer to the task on the screen.",
                "Both teams hear the same task at the same moment.",
                "The judges have agreed on this task for the final.",
            ),
            (
                "",
                "The fans wave their flags.",
                "A whistle blows.",
            ),
        ),
        Frame(
            "treasure",
            (
                "A treasure map lies open before {player}, with a riddle at every cross.",
                "Deep below the castle {player} stands before a door without a handle.",
                "The treasure hunt begins, and {player} digs up the first chest.",
            ),
            (
                "The guardian of the treasure asks for one thing.",
                "The riddle at this cross is longer than the others.",
                "On the lid of the chest the quest is carved in plain words.",
            ),
            (
                "",
                "Torches crackle along the wall.",
                "Far away, water is dripping.",
            ),
        ),
        Frame(
            "academy",
            (
                "At the academy for robots {player} is called to the front.",
                "The training hall is empty but for {player} and a blinking terminal.",
                "On graduation day {player} may choose a last trial.",
            ),
            (
                "The trial that appears has made better machines fail.",
                "The trainer presses a button and the trial begins.",
                "A badge is the prize for who passes the trial.",
            ),
            (
                "",
                "The terminal beeps with impatience.",
                "All sensors are switched on.",
            ),
        ),
        Frame(
            "quiz",
            (
                "On the quiz show tonight, {player} sits in the chair under the lights.",
                "The quiz master smiles at {player} and reaches for the last envelope.",
                "A drum roll, a camera moves in, and {player} hears the jackpot question.",
            ),
            (
                "There are no choices to pick from in this question.",
                "The question needs some explanation first.",
                "No joker helps with the challenge of tonight.",
            ),
            (
                "",
                "The audience is silent.",
                "The clock on the wall starts ticking.",
            ),
        ),
        Frame(
            "race",
            (
                "The engines roar, and {player} is first at the checkpoint.",
                "Halfway through the race {player} has to stop at the thinking station.",
                "Mud splashes as {player} brakes before the bonus gate.",
            ),
            (
                "The gate opens for a solved challenge, and for nothing else.",
                "At this station brains count more than wheels.",
                "A marshal hands over the challenge in a plastic sleeve.",
            ),
            (
                "",
                "The other teams are close behind.",
                "The engine keeps humming.",
            ),
        ),
        Frame(
            "colony",
            (
                "In a colony on a far moon, {player} accepts the mission of the day.",
                "The mission computer of the colony wakes {player}.",
                "Dust settles on the landing pad, where {player} scans the mission list.",
            ),
            (
                "Every mission earns a star, and this one is the hardest on the list.",
                "The commander reads the mission aloud.",
                "The mission file opens by itself.",
            ),
            (
                "",
                "The airlock hisses.",
                "A green light turns on.",
            ),
        ),
        Frame(
            "duel",
            (
                "Two screens, two keyboards: {player} has been challenged to a duel.",
                "In the duel of the day {player} may choose the weapons, and chooses wits.",
                "The umpire of the duel asks {player} to step forward.",
            ),
            (
                "Both duellists are given the same problem.",
                "The duel is won by the one whose answer holds.",
                "The problem of the duel is drawn from a hat.",
            ),
            (
                "",
                "Nobody in the hall says a word.",
                "The loser buys a round of lemonade.",
            ),
        ),
        Frame(
            "guild",
            (
                "The guild of puzzle hunters has a new quest, and {player} signs up.",
                "On the wall of the tavern {player} finds a quest with a red seal.",
                "The guild master pushes a scroll over to {player}.",
            ),
            (
                "The scroll describes the quest from beginning to end.",
                "Experience is the reward for who returns with an answer.",
                "Other heroes have brought it back unsolved.",
            ),
            (
                "",
                "A fire burns low in the hearth.",
                "Somewhere a lute is played badly.",
            ),
        ),
    ),
    {"player": PLAYERS, "time": TIMES},
)
