"""The limits of the sandbox: a program that each of them ends."""

from __future__ import annotations

import json

from tests.sandbox import defence_switches as off
from tests.sandbox.defence_rows import MIB, QUICK, TWICE, Row, limits

from codequake.sandbox import Mode
from codequake.tasks import Language

# All but one page of each block is given back, and yet every page of it stays in memory.
HOLD = f"""
import ctypes
libc, SIZE, held = ctypes.CDLL(None), {60 * MIB}, []
for _ in range(5):
    block = {{}}
    for place in range(0, SIZE, 4096): block[place] = 1
    start = ctypes.addressof(ctypes.c_char.from_buffer(block))
    libc.munmap(ctypes.c_long(start + 4096), ctypes.c_long(SIZE - 4096))
    held.append(block)
print("got through" if all(block[0] == 1 for block in held) else "no", flush=True)
import os; os._exit(0)
"""
C_PROGRAM = '#include <stdio.h>\nint main(void) { puts("got through"); return 0; }\n'
BURN = "import time\nwhile time.process_time() < {}: pass\nprint('got through')"
# Processor time decides here, so elapsed time must not come first on a busy machine.
LITTLE = limits(cpu_seconds=0.3, wall_factor=100.0)
LIMITS = (
    Row(
        "number of processes",
        off.resource_limit("RLIMIT_NPROC"),
        "import os, time\nfor _ in range(100):\n    if os.fork() == 0:\n        time.sleep(1000)\n"
        "        os._exit(0)\nprint('got through')",
        on="temporarily unavailable",
    ),
    Row(
        "address space",
        off.resource_limit("RLIMIT_AS"),
        f"bytearray({150 * MIB}); print('got through')",
        on="memory_limit",
        limits=limits(memory_bytes=100 * MIB),
    ),
    Row(
        "memory of all together",
        off.in_driver("tree_bytes", lambda pid: 0),
        f"import os, time\nfor _ in '123':\n    if os.fork() == 0: break\n"
        f"block = b'x' * {75 * MIB}\ntime.sleep(4)\nprint('got through')",
        on="memory_limit.*together",
        limits=limits(memory_bytes=100 * MIB),
    ),
    Row(
        "shared memory",
        off.shared_memory_rule,
        "import mmap\n" + HOLD.format("mmap.mmap(-1, SIZE)"),
        on="Operation not permitted",
        limits=limits(memory_bytes=100 * MIB),
    ),
    Row(
        "shared memory of a device",
        off.with_words("--dev-bind", "/dev/zero", "/dev/zero"),
        "import mmap\nzero = open('/dev/zero', 'r+b', 0)\n"
        + HOLD.format("mmap.mmap(zero.fileno(), SIZE)"),
        on="No such file",
        limits=limits(memory_bytes=100 * MIB),
    ),
    Row(
        "size of a file",
        off.resource_limit("RLIMIT_FSIZE"),
        f"print(open('x', 'wb').write(bytes({2 * MIB})), 'got through')",
        on="File too large",
    ),
    Row(
        "open files",
        off.resource_limit("RLIMIT_NOFILE"),
        "x = [open('/dev/null') for _ in range(100)]; print('got through')",
        on="Too many open files",
    ),
    Row(
        "size of scratch",
        off.instead(("--size", str(QUICK.scratch_bytes), "--tmpfs", "/tmp"), ("--tmpfs", "/tmp")),
        f"for name in range(10): open(str(name), 'wb').write(bytes({MIB}))\nprint('got through')",
        on="No space left",
    ),
    Row(
        "output",
        off.output_watch,
        f"print('x' * {3 * MIB}, 'got through')",
        on="output_limit",
    ),
    Row(
        "output of all inputs",
        off.total_output_watch,
        f"print('x' * {700 << 10}, 'got through')",
        off="got through.*got through",
        on="got through.*output_limit",
        limits=limits(total_output_bytes=MIB),
        inputs=TWICE,
    ),
    Row(
        "what the driver reads",
        off.in_driver("reply_room", lambda job, message: 1 << 40),
        f"print('x' * {7 * MIB}, 'got through')",
        on="output_limit",
        hidden_by=(off.output_watch,),
        limits=limits(output_bytes=20 * MIB, total_output_bytes=MIB),
    ),
    Row(
        "processor time, watched",
        off.processor_watch,
        BURN.format(1.0),
        on="timeout",
        hidden_by=(off.processor_count, off.resource_limit("RLIMIT_CPU")),
        limits=LITTLE,
    ),
    Row(
        "processor time, counted at the end",
        off.processor_count,
        "import os, time\nif os.fork() == 0:\n    while time.process_time() < 1.0: pass\n"
        "    os._exit(0)\nos.wait()\nprint('got through')",
        on="timeout",
        limits=LITTLE,
    ),
    Row(
        "processor time, by the kernel",
        off.resource_limit("RLIMIT_CPU"),
        BURN.format(2.5),
        on="killed by SIGKILL",
        hidden_by=(off.processor_watch, off.processor_count),
        limits=LITTLE,
    ),
    Row(
        "memory of the compiler",
        off.resource_limit("RLIMIT_AS"),
        C_PROGRAM,
        on="not built",
        language=Language.C,
        limits=limits(build_memory_bytes=24 * MIB),
    ),
    Row(
        "time of the compiler",
        off.processor_count,
        "#define A(x) x x x x x x x x x x\n#define B A(A(A(A(y = y * 3 + 1;))))\n"
        + C_PROGRAM.replace("{", "{ volatile int y = 0; B"),
        on="not built: the compiler used up its time",
        language=Language.C,
        limits=limits(build_cpu_seconds=0.1, wall_factor=200.0),
        hidden_by=(off.resource_limit("RLIMIT_CPU"),),
    ),
    Row(
        "elapsed time",
        off.wall_watch,
        "import time\ntime.sleep(2); print('got through')",
        on="timeout",
        limits=limits(cpu_seconds=0.2, wall_factor=3.0),
    ),
    Row(
        "elapsed time of a test",
        off.wall_watch,
        "import time\ndef solve(x):\n    time.sleep(2)\n    return 42\n",
        off="returned true",
        on="timeout",
        mode=Mode.ASSERT,
        inputs=(json.dumps("assert candidate(2) == 42"),),
        limits=limits(cpu_seconds=0.2, wall_factor=3.0),
    ),
    Row(
        "elapsed time, in the driver",
        off.in_driver("time_ceiling", lambda job: 600.0),
        "import time\ntime.sleep(8); print('got through')",
        on="timeout",
        hidden_by=(off.wall_watch, off.in_driver("time_ceiling", lambda job: 5.0)),
    ),
)  # fmt: skip
