"""Runs the viewers of a server, and measures the server meanwhile."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from servers import ServerProcess


def watch(
    server: ServerProcess, command: Sequence[Any], viewers: int, warm_up: float, seconds: float
) -> tuple[float, dict[str, float]]:
    """Attaches viewers for `seconds` after the warm-up. Returns the server's CPU seconds and what the viewers printed.

    `command` is load_client or http_viewer, with its arguments before the number of viewers.
    """
    command = [*map(str, command), str(viewers), str(warm_up), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        if not client.stdout.readline().startswith("first ") or client.stdout.readline() != "measuring\n":
            raise RuntimeError("a viewer got no frame")
        before = server.cpu_seconds()
        seen: dict[str, float] = json.loads(client.stdout.readline())
        cpu_seconds = server.cpu_seconds() - before
    if client.returncode != 0:
        raise RuntimeError("a stream ended early")
    return cpu_seconds, seen
