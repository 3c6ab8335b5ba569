"""A system bus of a test's own with a mock of logind on it: python3-dbusmock, driven by the system's Python."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile

#: Debian's own, which has the bindings of D-Bus; the tests' environment has none.
PYTHON = "/usr/bin/python3"

# Reads one command a line and answers each with one: `sleep true`, `sleep false`, `locks`.
DRIVER = """
import dbus, os, sys
bus = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
manager = bus.get_object("org.freedesktop.login1", "/org/freedesktop/login1")
mock = dbus.Interface(manager, "org.freedesktop.DBus.Mock")
login1 = dbus.Interface(manager, "org.freedesktop.login1.Manager")
for line in sys.stdin:
    word, *arguments = line.split()
    if word == "sleep":
        begins = dbus.Boolean(arguments[0] == "true")
        mock.EmitSignal("org.freedesktop.login1.Manager", "PrepareForSleep", "b", [begins])
        print("told", flush=True)
    else:
        print(*[f"{lock[0]}:{lock[1]}:{lock[3]}" for lock in login1.ListInhibitors()], flush=True)
"""


class Logind:
    """The mock, and what a test does with it."""

    def __init__(self) -> None:
        """Starts the bus; logind comes with `arrive`."""
        # Short, as names of sockets must be.
        self._folder = tempfile.TemporaryDirectory(prefix="bus-")
        self._socket = pathlib.Path(self._folder.name, "bus")
        self.address = f"unix:path={self._socket}"
        self.start_bus()
        self._environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": self.address}
        self._mock: subprocess.Popen[str] | None = None
        self._driver: subprocess.Popen[str] | None = None

    def start_bus(self) -> None:
        """The bus is there when this returns, at the address that it had before."""
        # One that was killed leaves its socket.
        self._socket.unlink(missing_ok=True)
        self._bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address", f"--address={self.address}"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._bus.stdout is not None
        assert self._bus.stdout.readline().startswith(self.address)

    def arrive(self) -> None:
        """logind is there when this returns."""
        self._mock = subprocess.Popen(
            [PYTHON, "-m", "dbusmock", "--system", "--template", "logind"],
            env=self._environment, stdout=subprocess.DEVNULL, stderr=sys.stderr, text=True,
        )  # fmt: skip
        wait = "import dbus, os; bus = dbus.bus.BusConnection(os.environ['DBUS_SYSTEM_BUS_ADDRESS'])\n"
        wait += "while not bus.name_has_owner('org.freedesktop.login1'): pass"
        subprocess.run([PYTHON, "-c", wait], env=self._environment, check=True, timeout=30)
        self._driver = subprocess.Popen(
            [PYTHON, "-c", DRIVER], env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def leave(self) -> None:
        """logind is gone when this returns; the bus is not."""
        for process in (self._driver, self._mock):
            if process is not None:
                process.terminate()
                process.wait(10)
        self._driver = self._mock = None

    def sleep(self, begins: bool) -> None:
        """Says that the machine is about to sleep, or awake."""
        assert self._ask(f"sleep {str(begins).lower()}") == "told"

    def locks(self) -> list[str]:
        """The locks that programs hold now, as `what:who:mode`."""
        return self._ask("locks").split()

    def _ask(self, line: str) -> str:
        assert self._driver is not None
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        self._driver.stdin.write(line + "\n")
        self._driver.stdin.flush()
        return self._driver.stdout.readline().strip()

    def close(self) -> None:
        """Ends the bus under everybody, and then everything: nobody is told before that logind goes."""
        self._bus.kill()
        self._bus.wait(10)
        self.leave()

    def remove(self) -> None:
        """Ends everything, for good."""
        self.close()
        self._folder.cleanup()
