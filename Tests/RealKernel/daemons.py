"""Daemons for a single test, beside the daemon that runs through all tests."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc

from client import PATIENCE, Client
from machine import BINARY, address, environment

# No other daemon and no other program uses this address.
ADDRESS = address(50063)


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


def as_user(user: str) -> list[str]:
    """The words in front of a command that run it as this user, in no group but nogroup. Empty for root."""
    return [] if user == "root" else ["setpriv", f"--reuid={user}", "--regid=nogroup", "--clear-groups"]
