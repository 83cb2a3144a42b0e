from __future__ import annotations

import sys

import pytest
from tests.models import fake_provider  # noqa: F401 - registers the provider

from codequake.errors import ToolMissingError, UnknownNameError, UsageError
from codequake.models import Retries, open_model


def test_a_remote_model_says_nothing_about_its_engine() -> None:
    model = open_model("fake/echo")
    assert (model.name, model.engine, model.concurrency) == ("fake/echo", "", 8)
    assert model.retries == Retries()
    assert model.attempt_timeout is None


def test_own_arguments_are_taken_and_others_passed_on() -> None:
    arguments = {
        "max_connections": "3",
        "max_retries": "0",
        "retry_wait": "0.5",
        "attempt_timeout": "9",
        "delay": "0.25",
        "log": "name",
    }
    model = open_model("fake/echo", arguments=arguments)
    assert (model.concurrency, model.attempt_timeout) == (3, 9)
    assert (model.retries.count, model.retries.first_wait) == (0, 0.5)
    assert model.connect().model_args == {"delay": 0.25, "log": "name"}


@pytest.mark.parametrize(
    ("name", "arguments", "part"),
    [
        ("fake/echo", {"max_connections": "0"}, "max_connections is '0'; allowed: a whole number"),
        ("fake/echo", {"max_retries": "-1"}, "max_retries is '-1'"),
        ("fake/echo", {"retry_wait": "soon"}, "retry_wait is 'soon'; allowed: a number from 0"),
        ("fake/echo", {"api_key": "k"}, "api_key is not taken"),
        ("fake/echo", {"colour": "red"}, "cannot be opened: .*colour"),
        ("codequake/replay", {}, "from=PATH"),
        ("codequake/replay", {"from": "/none/at/all"}, "no recording at /none/at/all"),
        ("codequake/replay", {"from": "x", "to": "y"}, "no argument 'to'; allowed: from"),
        ("codequake/sim", {}, "problems and variants"),
    ],
)
def test_wrong_arguments(name: str, arguments: dict[str, str], part: str) -> None:
    with pytest.raises(UsageError, match=part) as caught:
        open_model(name, arguments=arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("opnai/gpt", "provider 'opnai' is not known; near names: openai"),
        ("gpt", "write PROVIDER/MODEL"),
        ("codequake/llama", "allowed: codequake/smollm2, codequake/sim"),
    ],
)
def test_unknown_names(name: str, part: str) -> None:
    with pytest.raises(UnknownNameError, match=part):
        open_model(name)


def test_missing_key_is_one_sentence() -> None:
    with pytest.raises(ToolMissingError) as caught:
        open_model("fake/locked")
    assert str(caught.value) == (
        "model 'fake/locked' cannot be used: Unable to initialise Fake client "
        "No FAKE_API_KEY defined in the environment."
    )


@pytest.mark.parametrize(
    ("module", "name", "remedy"),
    [
        ("inspect_ai.model", "fake/echo", r"pip install 'codequake\[models\]'"),
        ("xllamacpp", "codequake/smollm2", r"pip install 'codequake\[local\]'"),
    ],
)
def test_missing_extra_names_its_command(
    monkeypatch: pytest.MonkeyPatch, module: str, name: str, remedy: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ToolMissingError, match=remedy):
        open_model(name)


def test_missing_package_of_a_provider_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with pytest.raises(ToolMissingError, match="pip install openai") as caught:
        open_model("openai/gpt-x")
    assert "\n" not in str(caught.value)
    assert "[" not in str(caught.value)
