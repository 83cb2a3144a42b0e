"""Where a setting stands in its file."""

from __future__ import annotations

import pytest

from codequake.study.lines import Lines

TEXT = '''\
# a comment = 1
name = "x"
"title" = """
seed = 1
"""
[decoding] # those of all
seed = 2
grader.timeout = 3

[[models]]
name = "a"
[[models]]
name = "b"
args = { seed = 4 }
[models.decoding]
seed = 5
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("name", 2),
        ("title", 3),
        ("seed", 1),  # it stands in a text and in other tables only
        ("decoding", 6),
        ("decoding.seed", 7),
        ("decoding.grader.timeout", 8),
        ("decoding.top_p", 6),
        ("models", 10),
        ("models[0].name", 11),
        ("models[1]", 12),
        ("models[1].name", 13),
        ("models[1].args.seed", 14),
        ("models[1].decoding.seed", 16),
        ("models[7].name", 10),
        ("", 1),
    ],
)
def test_a_path_has_the_line_of_its_key_or_of_what_holds_it(path: str, line: int) -> None:
    assert Lines(TEXT).of(path) == line
