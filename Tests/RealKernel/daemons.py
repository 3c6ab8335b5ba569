"""Daemons for a single test, beside the daemon that runs through all tests."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc

from client import PATIENCE, Client
from conftest import BINARY
from machine import address, environment

# No other daemon and no other program uses this address.
ADDRESS = address(50063)
#: What a core does in a second, as `measured` tells it.
CORE = {"copiedBytes": 1e10, "convertedPixels": 1e9, "encodedPixels": 1e8}


class OwnDaemon(Client):
    """A client of a daemon that belongs to one test."""

    def __init__(self, channel: grpc.Channel, log: Path):
        """Creates a client whose daemon writes to `log`."""
        super().__init__(channel)
        self._log = log

    @property
    def log(self) -> str:
        """The text that the daemon has logged so far."""
        return self._log.read_text()


@contextmanager
def own_daemon(data: Path, *flags: str, user: str = "root") -> Iterator[OwnDaemon]:
    """Runs a daemon with this data folder as this user. Gives a client of the daemon."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("w") as output:
            process = subprocess.Popen(
                [*as_user(user), BINARY, "serve", "--listen", ADDRESS, "--data-dir", data, *flags],
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment(),
            )
        try:
            with grpc.insecure_channel(ADDRESS) as channel:
                grpc.channel_ready_future(channel).result(PATIENCE)
                yield OwnDaemon(channel, log)
        finally:
            process.terminate()
            process.wait(PATIENCE)
            print("--- the log of the test's own daemon\n" + log.read_text())


def measured(data: Path) -> list[str]:
    """Lets daemons with this data folder know from a former run what the machine can do. Returns the flags for it.

    Such a daemon does not measure the machine. Others measure it when it rests, and use their codecs for that.
    """
    version = subprocess.run([BINARY, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    # In a folder without files for /proc the processor has no name.
    known = {"key": f"{version} unknown {len(os.sched_getaffinity(0))}", "core": CORE}
    (data / "machine.json").write_text(json.dumps(known))
    return ["--procfs-root", str(data / "proc")]


def as_user(user: str) -> list[str]:
    """The words in front of a command that run it as this user, in no group but nogroup. Empty for root."""
    return [] if user == "root" else ["setpriv", f"--reuid={user}", "--regid=nogroup", "--clear-groups"]
