"""The same jobs in Inspect's local sandbox and in our own; every program here is ours."""

from __future__ import annotations

import dataclasses
import gc
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.running import RunCommand, command_environment

from codequake.errors import SandboxUnavailableError, ToolMissingError, UsageError
from codequake.models import environments, inspect_sandbox, open_inspect_backend
from codequake.models.environments import Reply
from codequake.models.inspect_sandbox import InspectSandboxBackend
from codequake.sandbox import BubblewrapBackend, Ending, Job, Limits, Mode, Outcome
from codequake.tasks import Language

pytest.importorskip("inspect_ai")
from inspect_ai.util import ExecResult
from inspect_ai.util._sandbox.local import LocalSandboxEnvironment

QUICK = Limits(cpu_seconds=0.5, wall_factor=6.0, output_bytes=1 << 18, total_output_bytes=1 << 19)
ROOMY = Limits(cpu_seconds=5.0, wall_factor=10.0)
C_MAIN = '#include <stdio.h>\nint main(void) { int n; if (scanf("%d", &n) != 1) return 3; '
SLEEP = "import time\ntime.sleep(60)"


def call(source: str, *inputs: str, limits: Limits = QUICK) -> Job:
    return Job(Language.PYTHON, source, Mode.CALL, "solve", inputs or ("[1]", "[2]"), limits)


def main(source: str, *texts: str, language: Language = Language.PYTHON) -> Job:
    inputs = tuple(json.dumps(text) for text in texts or ("3\n", "4\n"))
    return Job(language, source, Mode.STDIN, None, inputs, QUICK)


JOBS = {
    "right": call("def solve(x):\n    return [x, 'ä\U0001f600', {'k': 1.5}]"),
    "wrong": call("def solve(x):\n    return x - 1"),
    "not data": call("def solve(x):\n    return iter([])"),
    "an exception": call("def solve(x):\n    return 1 // (x - 1)"),
    "an exit code": call("def solve(x):\n    raise SystemExit(x)"),
    "too long": call("def solve(x):\n    while x == 2: pass\n    return x", "[1]", "[2]", "[3]"),
    "asleep": call("import time\ndef solve(x):\n    time.sleep(60)"),
    "too much memory": call("def solve(x):\n    return len(bytes(2 << 30))"),
    "returns too much": call("def solve(x):\n    return 'x' * (1 << 20)"),
    "prints too much": call("def solve(x):\n    print('x' * (1 << 20))"),
    "too much in all": call("def solve(x):\n    return 'x' * (1 << 17)", *["[1]"] * 6),
    "no entry point": call("def resolve(x):\n    return x"),
    "a syntax error": call("def solve(x:\n    return x"),
    "ends itself": call(
        "import os, signal\ndef solve(x):\n    os.kill(os.getpid(), signal.SIGKILL)"
    ),
    "no inputs": dataclasses.replace(call("def solve(x):\n    return x"), inputs=()),
    "a main program": main("print(int(input()) * 2)"),
    "a program that reads nothing": main("print(7)"),
    "a main program with an exit code": main("print(input())\nraise SystemExit(4)"),
    "a file left behind": main(
        "import os\nprint(os.listdir('.'), os.environ['HOME'] == os.getcwd())\nopen('left', 'w')"
    ),
    "a C program": main(C_MAIN + 'printf("%d\\n", n * n); return 0; }', language=Language.C),
    "a C program that fails": main(C_MAIN + "return n; }", language=Language.C),
    "a C program without end": main(C_MAIN + "for (;;) n++; }", language=Language.C),
    "a C syntax error": main(C_MAIN, language=Language.C),
}


@pytest.fixture(scope="module")
def ours() -> BubblewrapBackend:
    return BubblewrapBackend()


@pytest.fixture(scope="module")
def local() -> Iterator[InspectSandboxBackend]:
    yield open_inspect_backend("local")
    gc.collect()


def seen(outcome: Outcome) -> Any:
    """What a verdict is made of."""
    runs = [(run.ending, run.output, run.detail, run.read_input) for run in outcome.runs]
    return outcome.build, outcome.entry_found, runs, outcome.harness_error


@pytest.mark.parametrize("name", JOBS)
def test_outcome_is_that_of_our_own_sandbox(
    name: str, ours: BubblewrapBackend, local: InspectSandboxBackend
) -> None:
    expected = ours.run(JOBS[name])
    assert expected.harness_error is None
    found = local.run(JOBS[name])
    assert seen(found) == seen(expected)
    assert found.cpu_seconds is not None
    assert found.cpu_seconds > 0
    assert (found.peak_bytes or 0) > 1 << 20


def test_the_jobs_end_in_every_way(ours: BubblewrapBackend) -> None:
    assert {run.ending for job in JOBS.values() for run in ours.run(job).runs} == set(Ending)


def test_a_long_reply_is_not_cut_by_the_provider(local: InspectSandboxBackend) -> None:
    """Inspect keeps the last 10 MiB of what a command prints, unless it is told otherwise."""
    outcome = local.run(call("def solve(x):\n    return 'é' * (3 << 20)", limits=ROOMY))
    assert [run.ending for run in outcome.runs] == [Ending.RETURNED] * 2
    assert [len(json.loads(run.output or "")) for run in outcome.runs] == [3 << 20] * 2


def test_programs_run_together(local: InspectSandboxBackend) -> None:
    jobs = [call(f"def solve(x):\n    return x * {factor}") for factor in range(12)]
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(local.run, jobs))
    assert [[run.output for run in item.runs] for item in outcomes] == [
        [str(factor), str(2 * factor)] for factor in range(12)
    ]
    assert [seen(item) for item in local.run_all(jobs[:2])] == [seen(item) for item in outcomes[:2]]


def test_the_local_provider_is_loud(local: InspectSandboxBackend) -> None:
    assert local.name.startswith("inspect:local (not isolated), Python 3.")
    assert "gcc" in local.name
    outcome = local.run(JOBS["right"])
    assert "NOT ISOLATED" in outcome.warning
    assert outcome.backend == local.name


# -- ending ----------------------------------------------------------------------------------


def test_ending_runs_from_outside_is_no_verdict(
    local: InspectSandboxBackend, tmp_path: Path
) -> None:
    """The program tells through a named pipe that it runs, and by closing it that it is gone."""
    pipe = tmp_path / "alive"
    subprocess.run(["mkfifo", pipe], check=True)
    source = (
        f"def solve(x):\n    held = open({str(pipe)!r}, 'w')\n    import time\n    time.sleep(60)"
    )
    outcomes: list[Outcome] = []
    job = call(source, limits=ROOMY)
    runner = threading.Thread(target=lambda: outcomes.append(local.run(job)))
    runner.start()
    with pipe.open() as held:  # opens when the program does
        local.kill_all()
        assert held.read() == ""  # ends when the program does
    runner.join()
    assert outcomes[0].harness_error == "the run was ended from outside"
    assert local.run(JOBS["right"]).harness_error is None


@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_no_program_outlives_us(how: str, tmp_path: Path) -> None:
    pipe = tmp_path / "alive"
    subprocess.run(["mkfifo", pipe], check=True)
    script = (
        "from codequake.models import open_inspect_backend\n"
        "from codequake.sandbox import Job, Limits, Mode\n"
        "from codequake.tasks import Language\n"
        "source = 'import time\\ndef solve(p):\\n    held = open(p, \"w\")\\n    time.sleep(60)'\n"
        f"inputs = ('[\"{pipe}\"]',)\n"
        "job = Job(Language.PYTHON, source, Mode.CALL, 'solve', inputs, Limits())\n"
        "open_inspect_backend('local').run(job)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], env=command_environment(), stderr=subprocess.PIPE, text=True
    )
    with pipe.open() as held:
        process.send_signal(getattr(__import__("signal"), how))
        assert held.read() == ""
    _, said = process.communicate()
    assert process.returncode != 0
    assert ("KeyboardInterrupt" in said) == (how == "SIGINT")


def test_nothing_is_left_on_the_disk(
    local: InspectSandboxBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    outcome = local.run(main("import os\nprint(os.getcwd())"))
    place = Path(json.loads(outcome.runs[0].output or "").strip())
    assert place.is_relative_to(tmp_path)
    assert list(tmp_path.iterdir()) == []


# -- providers that fail ---------------------------------------------------------------------


class Provider(LocalSandboxEnvironment):
    """Inspect's local sandbox with a fault in what a command comes to."""

    calls = 0

    async def exec(self, *arguments: Any, **options: Any) -> ExecResult[str]:
        done = await super().exec(*arguments, **options)
        if not options.get("input"):
            return done  # the look inside
        type(self).calls += 1
        return self.damage(done)

    @classmethod
    async def sample_init(cls, task_name: str, config: Any, metadata: dict[str, str]) -> Any:
        return {"default": cls()}

    def damage(self, done: ExecResult[str]) -> ExecResult[str]:
        raise NotImplementedError


def outcome_with(
    damage: Any, monkeypatch: pytest.MonkeyPatch, job: Job
) -> tuple[Outcome, type[Provider]]:
    kind = type("Faulty", (Provider,), {"damage": lambda self, done: damage(done), "calls": 0})
    monkeypatch.setattr(environments, "provider_class", lambda name: kind)
    outcome = InspectSandboxBackend("local").run(job)
    gc.collect()
    return outcome, kind


def failing(error: Exception) -> Any:
    def fail(done: ExecResult[str]) -> ExecResult[str]:
        raise error

    return fail


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda done: dataclasses.replace(done, stdout=done.stdout[-150:]), "of the"),
        (lambda done: dataclasses.replace(done, stdout=done.stdout[:-60]), "has no end"),
        (
            lambda done: dataclasses.replace(done, stdout=done.stdout.replace("7", "\ufffd")),
            "of the",
        ),
        (lambda done: dataclasses.replace(done, stdout=""), "has no end"),
        (failing(TimeoutError()), "gave no answer in time"),
        (failing(RuntimeError("ERROR: the\nengine is gone")), "failed: the engine is gone"),
    ],
)
def test_a_reply_that_is_not_whole_is_no_verdict(
    damage: Any, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome, provider = outcome_with(damage, monkeypatch, main("print(777)"))
    assert outcome.harness_error is not None
    assert why in outcome.harness_error
    assert outcome.runs == ()
    assert provider.calls == 3


def test_a_keeper_that_is_killed_every_time_is_the_programs_doing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def killed(done: ExecResult[str]) -> ExecResult[str]:
        first = done.stdout.index("\n", done.stdout.index('"build"')) + 1
        return ExecResult(False, 137, done.stdout[:first] + '{"event": "ru', "")

    outcome, provider = outcome_with(killed, monkeypatch, main("print(777)"))
    assert [run.ending for run in outcome.runs] == [Ending.CRASHED, Ending.NOT_RUN]
    assert outcome.runs[0].detail == "the program brought its sandbox down"
    assert provider.calls == 2


def test_a_closing_line_says_why_the_keeper_ended_the_program() -> None:
    for cut in ("overflow", "late", "starved"):
        closing = json.dumps({"cut": cut, "sent": 4, "errors": "oh"})
        reading = inspect_sandbox._reading_of(Reply(0, f"abc\n\n{closing}\n", ""))
        assert not isinstance(reading, str)
        assert getattr(reading, cut)
        assert bytes(reading.lines) == b"abc\n"


def test_limits_of_the_whole_job_hold(
    local: InspectSandboxBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the driver of our own sandbox does from outside, the keeper does inside."""
    forks = "import os, time\nfor _ in range(4): os.fork()\n"
    heavy = main(forks + "block = b'x' * (60 << 20)\ntime.sleep(60)")
    limits = dataclasses.replace(ROOMY, memory_bytes=128 << 20)
    runs = local.run(dataclasses.replace(heavy, limits=limits)).runs
    assert [run.ending for run in runs] == [Ending.MEMORY_LIMIT, Ending.NOT_RUN]
    assert "together" in runs[0].detail
    talks = call("def solve(x):\n    return 'x' * 10 ** x", "[1]", "[5]", "[1]")
    with monkeypatch.context() as patch:
        patch.setattr(inspect_sandbox, "reply_room", lambda job, message: 3000)
        runs = local.run(talks).runs
    assert [run.ending for run in runs] == [
        Ending.RETURNED,
        Ending.OUTPUT_LIMIT,
        Ending.NOT_RUN,
    ]
    # Long enough for any machine to start the program, and far less than it sleeps.
    monkeypatch.setattr(inspect_sandbox, "time_ceiling", lambda job: 5.0)
    runs = local.run(dataclasses.replace(main(SLEEP), limits=ROOMY)).runs
    assert [run.ending for run in runs] == [Ending.TIMEOUT, Ending.NOT_RUN]


ENGINE = """\
#!/usr/bin/python3
import json, os, sys
words = sys.argv[1:]
with open(os.path.join(os.path.dirname(__file__), "log"), "a") as log:
    log.write(json.dumps(words[:8]) + "\\n")
box = {"Name": "box", "Service": "default", "ExitCode": 0}
if words[0] == "version":
    print(json.dumps({"Server": {"Version": "28.0.0"}}))
elif words[0] == "inspect":
    print("{}" if "Ports" in words[-1] else "sha256:0123456789abcdef")
elif words[:2] == ["compose", "version"]:
    print(json.dumps({"version": "v2.30.0"}))
elif "config" in words:
    print("mine" if "--images" in words else json.dumps({"services": {"default": {"image": "x"}}}))
elif "ps" in words and "exited" not in words:
    print(json.dumps(box))
elif "exec" in words:
    place = words[words.index("--workdir") + 1]
    os.chdir(place)
    command = words[words.index("default") + 1 :]
    os.execvp(command[0], command)
"""


def test_docker_is_driven_as_inspect_drives_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ours: BubblewrapBackend
) -> None:
    """With a stand-in for the engine, which has no containers; the real one was never tried."""
    engine = tmp_path / "docker"
    engine.write_text(ENGINE)
    engine.chmod(0o755)
    (tmp_path / "compose.yaml").write_text("services: {}\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    backend = open_inspect_backend("docker", str(tmp_path / "compose.yaml"))
    assert backend.warning == ""
    assert backend.name.startswith("inspect:docker, image sha256:0123456789ab, Python 3.")
    for name in ("right", "an exception", "too long", "a C program", "no entry point"):
        assert seen(backend.run(JOBS[name])) == seen(ours.run(JOBS[name]))
    log = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    ups = [words[words.index("--project-name") + 1] for words in log if "up" in words]
    downs = [words[words.index("--project-name") + 1] for words in log if "down" in words]
    assert len(set(ups)) == len(ups) == 7  # the look inside, the trial, and a job each
    assert ups == downs
    del backend
    gc.collect()


def test_an_environment_without_python_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailableError, match="python3 must be on the PATH"):
        open_inspect_backend("local")
    script = tmp_path / "python3"
    for said, why in (('[[3,8,1],""]', "has Python 3.8.1, which is too old"), ("no", "runs no")):
        script.write_text(f"#!/bin/sh\necho '{said}'\n")
        script.chmod(0o755)
        with pytest.raises(SandboxUnavailableError, match=why):
            open_inspect_backend("local")
    gc.collect()


def test_docker_without_its_engine_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxUnavailableError, match="install and start Docker Engine"):
        open_inspect_backend("docker")
    gc.collect()


def test_unknown_names_list_what_is_allowed() -> None:
    with pytest.raises(
        UsageError, match="'podman' of Inspect is not known; allowed: docker, local"
    ):
        open_inspect_backend("podman")
    with pytest.raises(UsageError, match="takes no configuration"):
        open_inspect_backend("local", "compose.yaml")


def test_inspect_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.util._sandbox.registry", None)
    with pytest.raises(ToolMissingError, match=r"pip install 'codequake\[models\]'"):
        open_inspect_backend("local")


# -- the command line ------------------------------------------------------------------------

COMPLETIONS = (
    '{"problem_id": "starter-12/digit-sum", "completion": '
    '"```python\\ndef digit_sum(n):\\n    return sum(map(int, str(abs(n))))\\n```"}\n'
)


def test_grading_in_inspects_sandbox_is_loud(run_command: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text(COMPLETIONS)
    arguments = ("grade", "c.jsonl", "--problems", "starter-12", "--out", "v.jsonl")
    done = run_command(*arguments, "--sandbox", "inspect:local", "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert "passed: 1" in done.stdout
    assert "NOT ISOLATED" in done.stderr
    assert (
        "inspect:local (not isolated)" in json.loads((tmp_path / "v.jsonl").read_text())["grader"]
    )


@pytest.mark.parametrize("name", ["inspect:podman", "inspect:", "docker", "inspect:local:x"])
def test_unknown_sandboxes_are_refused(name: str, run_command: RunCommand, tmp_path: Path) -> None:
    allowed = "allowed: bwrap, bwrap:ubsan, inspect:docker, inspect:local, none"
    done = run_command("problems", "check", "starter-12", "--sandbox", name)
    assert done.returncode == 2
    assert f"sandbox {name!r} is not known; {allowed}" in done.stderr
    (tmp_path / "s.toml").write_text(
        f'problems = ["starter-12"]\nperturbations = ["clean"]\n[grader]\nsandbox = "{name}"\n'
    )
    done = run_command("perturb", "s.toml", "--out", "x")
    assert done.returncode == 2
    assert "s.toml:4: sandbox" in done.stderr
    assert allowed in done.stderr


def test_docker_without_an_engine_is_one_sentence(run_command: RunCommand) -> None:
    done = run_command("problems", "check", "starter-12", "--sandbox", "inspect:docker:/no/file")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_help_does_not_load_inspect() -> None:
    script = (
        "import sys\nimport codequake, codequake.models, codequake.study.sandboxes\n"
        "from codequake.cli import main\n"
        "sys.argv[1:] = ['grade', '--help']\ntry: main()\nexcept SystemExit: pass\n"
        "print('inspect_ai' in sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=command_environment(), capture_output=True, text=True
    )
    assert "--sandbox" in done.stdout
    assert done.stderr.split() == ["False"]
