"""What keeps answers honest: in a sandbox of its own, beside a judge, and among neighbours."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.sandbox import defence_switches as off
from tests.sandbox.defence_rows import FRAMES, IN_SYSTEM, MIB, Row, limits

from codequake.sandbox import Care, Mode

TEST = json.dumps("assert candidate(2) == 40 + 2")
JUDGED = limits(cpu_seconds=2.0)
ANSWERS = (
    Row(
        "token of the record",
        off.token,
        "import os\nos.write(60, b'0' * 16 + b' value 13\\n\"got through\"')\nos._exit(0)",
        on="gave no result",
        mode=Mode.CALL,
        inputs=("[1]",),
    ),
    Row(
        "files of process 1 closed",
        off.closing,
        "import json, os\n"
        "line = json.dumps(dict(event='run', index=0, ending='returned', detail='',"
        " output='\"got through\"', cpu=0, read=True)) + chr(10)\nfor fd in range(3, 60):\n"
        "    try: os.write(fd, line.encode())\n    except OSError: pass\ndef solve(x): return 'no'",
        on="returned .no",
        mode=Mode.CALL,
        inputs=("[1]",),
    ),
    Row(
        "no answers in the process",
        off.told_answers,
        FRAMES + "def solve(x):\n"
        "    testers = [f.f_locals['self'] for f in frames if 'self' in f.f_locals]\n"
        "    return testers[0].job['expected']",
        on="KeyError",
        mode=Mode.CALL,
        inputs=("[1]",),
    ),
    Row(
        "judge in a process of its own",
        off.judge_apart,
        FRAMES + "def solve(x):\n    for f in frames:\n        tester = f.f_locals.get('self')\n"
        "        if hasattr(tester, 'statements'):\n"
        "            return eval(tester.statements.partition('==')[2])",
        off="returned true",
        on="returned false",
        mode=Mode.ASSERT,
        inputs=(TEST,),
        limits=JUDGED,
    ),
    Row(
        "file of the tests closed",
        off.tests_closed,
        "import os, json\ndef solve(x):\n    for fd in range(3, 60):\n"
        "        try: text = os.pread(fd, 4096, 0).decode()\n        except OSError: continue\n"
        "        if 'assert' in text: return eval(text.partition('==')[2].partition('\"')[0])\n",
        off="returned true",
        on="returned false",
        mode=Mode.ASSERT,
        inputs=(TEST,),
        limits=JUDGED,
    ),
    Row(
        "length of an answer",
        off.length_of_answers,
        f"def solve(x): return 'x' * {3 * MIB}",
        off="returned true",
        on="output_limit",
        mode=Mode.ASSERT,
        inputs=(json.dumps(f"assert len(candidate(2)) == {3 * MIB}"),),
        limits=JUDGED,
    ),
    Row(
        "time of the judge",
        off.time_of_judge,
        # Every element of the set has the same hash: to rebuild it takes the square of its size.
        "def solve(x):\n    m = 2**61 - 1\n    return set(range(m, 15_000 * m, m))",
        off="returned true",
        on="timeout  the test used up its time",
        mode=Mode.ASSERT,
        inputs=(json.dumps("for _ in '123': assert len(candidate(2)) == 14999"),),
        limits=limits(cpu_seconds=60.0, output_bytes=16 * MIB),
        hidden_by=(off.quick_judge, off.resource_limit("RLIMIT_CPU")),
    ),
    Row(
        "pipe of the verdict",
        off.verdict_pipe,
        "import os\n" + FRAMES + "def solve(x):\n"
        "    pair = next(f.f_locals['pair'] for f in frames if 'pair' in f.f_locals)\n"
        "    record = ''.join(f'{pair.token} {kind} 0\\n' for kind in ('answered', 'true'))\n"
        "    try: os.write(pair.verdict.writer, record.encode())\n"
        "    except OSError: return 0\n    os.kill(pair.judge, 9)\n    return 0",
        off="returned true",
        on="returned false",
        mode=Mode.ASSERT,
        inputs=(TEST,),
        limits=JUDGED,
    ),
    Row(
        "everything killed after a test",
        off.reaping_after_a_test,
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    os.closerange(0, 99)\n"
        "    time.sleep(1000)\ndef solve(x):\n    found = []\n    for other in range(2, 200):\n"
        "        try: os.kill(other, 0)\n        except OSError: continue\n"
        "        found.append(other)\n    return len(found)",
        off="returned true .*returned false ",
        on="returned true .*returned true ",
        mode=Mode.ASSERT,
        inputs=(json.dumps("assert candidate(2) == 3"),) * 2,
        limits=JUDGED,
    ),
    Row(
        "signals of the judge",
        off.signals_of_judge,
        "import os, signal\ndef solve(x):\n    signal.signal(15, signal.SIG_IGN)\n"
        "    os.kill(-1, 15)\n    return 0",
        off="judges was killed",
        on="returned false",
        mode=Mode.ASSERT,
        inputs=(TEST,),
        limits=JUDGED,
    ),
)  # fmt: skip

CALLED = Row("", off.admission, "", mode=Mode.CALL, inputs=("[[1]]",), care=Care.TOGETHER)
DEATH = off.without_words("--die-with-parent")
HONEST = "def solve(a):\n    return len(a)\n"
REPLY = (
    "import json, os\nhead = json.dumps(dict(results=[dict(kind='data', plain=True, cpu=0, peak=1,"
    " bytes=13)], held=0)).encode()\n"
    "for fd in range(3, 20):\n"
    "    try: os.write(fd, b'%08x' % len(head) + head + b'\"got through\"')\n"
    "    except OSError: pass\ndef solve(a): return 'no'"
)
WORKERS = (
    replace(
        CALLED,
        name="admission, verdict of a neighbour",
        program=(
            "known = __builtins__ if isinstance(__builtins__, dict) else vars(__builtins__)\n"
            "known['sum'] = lambda items: 'got through'\ndef solve(a): return 0\n",
            "def solve(a): return sum(a)\n",
        ),
        on="together open: returned 1 ",
    ),
    replace(
        CALLED,
        name="admission, text of a neighbour",
        program=(
            HONEST + "# got through\n",
            "import sys\ndef solve(a):\n    f = sys._getframe()\n    while f:\n"
            "        for p in f.f_locals.get('programs', []):\n"
            "            if 'got' + ' through' in p[1]: return p[1]\n        f = f.f_back\n",
        ),
        on="forked open: returned null",
    ),
    replace(
        CALLED,
        name="what a program keeps",
        defence=off.keeping,
        program="seen = []\ndef solve(a):\n    seen.append(a)\n    return len(seen)\n",
        inputs=("[[1]]", "[[2]]"),
        care=Care.APART,
        off="apart settled: returned 1 ; returned 2",
        on="apart open",
    ),
    replace(
        CALLED,
        name="fresh arguments",
        defence=off.fresh_arguments,
        program=("def solve(a):\n    a.append(2)\n    return 0\n", HONEST),
        off="returned 2 ",
        on="returned 0 .*returned 1 ",
    ),
    replace(
        CALLED,
        name="worker cleared between programs",
        defence=off.clearing,
        hidden_by=(off.admission,),
        program=(
            "import os, time\ndef solve(a):\n    if os.fork() == 0:\n        os.closerange(0, 99)\n"
            "        time.sleep(1000)\n        os._exit(0)\n    return 0\n",
            "import os\ndef solve(a):\n    for other in range(2, 200):\n"
            "        if other != os.getpid():\n            try: os.kill(other, 0)\n"
            "            except OSError: continue\n            return 'got through'\n"
            "    return 'no'\n",
        ),
        care=Care.APART,
        on="returned .no",
    ),
    replace(
        CALLED,
        name="worker without a place to write",
        defence=off.worker_view,
        hidden_by=(off.admission,),
        program=("def solve(a):\n    open('/tmp/left', 'w').write('got through')\n",
                 "def solve(a):\n    return open('/tmp/left').read()\n"),
        care=Care.APART,
        on="crashed.*Read-only.*crashed",
    ),
    replace(
        CALLED,
        name="pipes of the worker",
        defence=off.worker_pipes,
        hidden_by=(off.admission,),
        program=REPLY,
        care=Care.APART,
        on="returned .no",
    ),
    replace(
        CALLED,
        name="slice of time",
        defence=off.slices,
        program="def solve(a):\n    n = 0\n    while n < 60_000_000: n += 1\n"
        "    return 'got through'\n",
        limits=limits(cpu_seconds=0.2),
        on="forked open: timeout",
    ),
    replace(
        CALLED,
        name="filter of a worker",
        defence=off.calls("memfd_create"),
        hidden_by=(off.admission,),
        program="import os\ndef solve(a):\n    os.memfd_create('x')\n    return 'got through'\n",
        care=Care.APART,
        on="not permitted",
    ),
    replace(
        CALLED,
        name="user of a worker",
        defence=off.user,
        hidden_by=(off.admission,),
        program=f"def solve(a):\n    return open('{IN_SYSTEM}/closed').read()\n",
        care=Care.APART,
        on="Permission denied",
        root=True,
    ),
    *(
        replace(
            CALLED,
            name=name,
            defence=defence,
            hidden_by=(hiding, off.admission),
            program="import time\ndef solve(a):\n    time.sleep(1000)\n",
            care=Care.APART,
            limits=limits(cpu_seconds=100, wall_factor=100.0),
            kill_driver=3,
            off="a survivor",
            on="nobody left",
        )
        for name, defence, hiding in (
            ("death of a worker with the driver", DEATH, off.lifeline_of_worker),
            ("lifeline of a worker", off.lifeline_of_worker, DEATH),
        )
    ),
    replace(
        CALLED,
        name="address space in a worker",
        defence=off.resource_limit("RLIMIT_AS", worker=True),
        program=f"def solve(a):\n    bytearray({150 * MIB})\n    return 'got through'\n",
        limits=limits(memory_bytes=100 * MIB),
        care=Care.APART,
        on="memory_limit",
    ),
    replace(
        CALLED,
        name="printing in a worker",
        defence=off.resource_limit("RLIMIT_FSIZE", worker=True),
        program=f"def solve(a):\n    print('x' * {2 * MIB}, flush=True)\n"
        "    return 'got through'\n",
        on="File too large",
    ),
    replace(
        CALLED,
        name="number of processes in a worker",
        defence=off.resource_limit("RLIMIT_NPROC", worker=True),
        hidden_by=(off.admission,),
        program="import os, time\ndef solve(a):\n    for _ in range(100):\n"
        "        if os.fork() == 0:\n            time.sleep(1000)\n            os._exit(0)\n"
        "    return 'got through'\n",
        care=Care.APART,
        on="temporarily unavailable",
    ),
)  # fmt: skip
