"""Runs the program `firstlight` as a user does in a shell."""

from __future__ import annotations

import subprocess
import sys

from support import TIMEOUT


def command_line(address: str, *arguments: str) -> list[str]:
    """The program with its arguments, for the daemon at an address."""
    program = "import firstlight.cli as c; raise SystemExit(c.main())"
    return [sys.executable, "-c", program, "--address", address, *arguments]


def run(address: str, *arguments: str, timeout: float = TIMEOUT) -> subprocess.CompletedProcess[str]:
    """Runs the program until it ends."""
    return subprocess.run(
        command_line(address, *arguments), capture_output=True, text=True, timeout=timeout, check=False
    )
