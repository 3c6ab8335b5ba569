"""`buf curl`, a client for the command line that speaks gRPC, gRPC-Web and Connect."""

from __future__ import annotations

import json
import pathlib
import subprocess
import threading
from collections.abc import Callable
from typing import Any

import pytest

from support import TIMEOUT

REPOSITORY = pathlib.Path(__file__).parents[2]
BUF = REPOSITORY / ".venv/bin/buf"
#: The flags for a server that describes its methods itself, over gRPC.
BY_GRPC = ("--protocol", "grpc", "--http2-prior-knowledge")


def with_files(protocol: str) -> tuple[str, ...]:
    """The flags for a call by `connect` or `grpcweb`, which needs our proto files, because reflection streams both ways
    and HTTP/1.1 cannot.
    """
    return ("--protocol", protocol, "--schema", str(REPOSITORY / "proto"))


def buf_curl(
    address: str,
    path: str,
    request: dict[str, Any],
    enough: Callable[[dict[str, Any]], bool] = lambda _: False,
    *,
    flags: tuple[str, ...] = BY_GRPC,
) -> list[dict[str, Any]]:
    """The answers of a call as JSON: all of them, or up to the first that is `enough`. The function then ends buf, as a
    person would.
    """
    if not BUF.exists():
        pytest.exit(f"{BUF} is not there, run: make setup", returncode=2)
    command = [BUF, "curl", *flags, "--data", json.dumps(request), f"http://{address}/firstlight.v1.{path}"]
    answers, text = [], ""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watchdog = threading.Timer(TIMEOUT, process.kill)
    watchdog.start()
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            text += line
            # buf writes an answer over several lines. The last line begins with the closing brace, or is the empty
            # object.
            if line.startswith("}") or line.strip() == "{}":
                answers.append(json.loads(text))
                text = ""
                if enough(answers[-1]):
                    return answers
        assert process.wait() == 0, process.stderr.read()
        return answers
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()
