"""A headless Chromium for tests, driven over its own debugging protocol."""

from __future__ import annotations

import asyncio
import base64
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_LOOKS = 100
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str | None:
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


@contextmanager
def chromium(folder: Path) -> Iterator[str]:
    """Start a browser and give the address of its one page's protocol."""
    program = find_chromium()
    assert program is not None
    profile = folder / "profile"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    options.append("--window-size=1400,1000")
    with (folder / "chromium.log").open("wb") as log:
        process = subprocess.Popen(
            [program, *options, "--remote-debugging-port=0", f"--user-data-dir={profile}"],
            stdout=log,
            stderr=log,
        )
        try:
            yield _port(profile / "DevToolsActivePort", process)
        finally:
            process.kill()
            process.wait()


def _port(path: Path, process: subprocess.Popen[bytes]) -> str:
    while True:
        assert process.poll() is None, "chromium ended"
        if path.exists() and len(lines := path.read_text().split()) == 2:
            return f"http://127.0.0.1:{lines[0]}"
        time.sleep(0.1)


def texts_of(address: str, pages: list[tuple[str, str]], picture: Path | None = None) -> list[str]:
    """Open each (URL, text to wait for) in turn and give back what stands on the page then.

    The wait has no end of its own: the test's time limit is the only clock.
    """
    return asyncio.run(_texts(address, pages, picture))


async def _texts(address: str, pages: list[tuple[str, str]], picture: Path | None) -> list[str]:
    import aiohttp

    found = []
    async with aiohttp.ClientSession() as session:
        async with session.put(f"{address}/json/new?about:blank") as response:
            place = (await response.json())["webSocketDebuggerUrl"]
        async with session.ws_connect(place, max_msg_size=0) as socket:
            number = 0

            async def call(method: str, **parameters: Any) -> dict[str, Any]:
                nonlocal number
                number += 1
                await socket.send_json({"id": number, "method": method, "params": parameters})
                while True:
                    message = await socket.receive_json()
                    if message.get("id") == number:
                        return dict(message["result"])

            for url, wanted in pages:
                text, looks = "", 0
                while wanted not in text:
                    if looks % _LOOKS == 0:  # a page that got no answer does not ask again
                        await call("Page.navigate", url="about:blank")
                        await call("Page.navigate", url=url)
                    looks += 1
                    await asyncio.sleep(0.2)
                    done = await call(
                        "Runtime.evaluate",
                        expression="document.body ? document.body.innerText : ''",
                    )
                    text = str(done["result"].get("value", ""))
                found.append(text)
            if picture is not None:
                shot = await call("Page.captureScreenshot")
                picture.write_bytes(base64.b64decode(shot["data"]))
    return found
