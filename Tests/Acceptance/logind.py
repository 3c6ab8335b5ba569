"""A private system bus for a test, with a mock of logind: python3-dbusmock, driven by the system's Python."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile

#: Debian's own Python, which has the bindings of D-Bus. The environment of the tests has none.
PYTHON = "/usr/bin/python3"

# The program reads one command from each line and answers with one line: `sleep true`, `sleep false`, `locks`.
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
    """The bus with the mock, and what a test can do with them."""

    def __init__(self) -> None:
        """Starts the bus. The mock of logind joins with `arrive`."""
        # The path is short, because the kernel limits the length of a socket's name.
        self._folder = tempfile.TemporaryDirectory(prefix="bus-")
        self._socket = pathlib.Path(self._folder.name, "bus")
        self.address = f"unix:path={self._socket}"
        self.start_bus()
        self._environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": self.address}
        self._mock: subprocess.Popen[str] | None = None
        self._driver: subprocess.Popen[str] | None = None

    def start_bus(self) -> None:
        """Starts the bus at the address that it had before, and returns when the bus is ready."""
        # A bus that was killed leaves its socket behind.
        self._socket.unlink(missing_ok=True)
        self._bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address", f"--address={self.address}"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._bus.stdout is not None
        assert self._bus.stdout.readline().startswith(self.address)

    def arrive(self) -> None:
        """Starts the mock of logind and returns when its name is on the bus."""
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
        """Ends the mock of logind and returns when it is gone. The bus stays."""
        for process in (self._driver, self._mock):
            if process is not None:
                process.terminate()
                process.wait(10)
        self._driver = self._mock = None

    def sleep(self, begins: bool) -> None:
        """Sends the signal that the machine is about to sleep, or that it is awake again."""
        assert self._ask(f"sleep {str(begins).lower()}") == "told"

    def locks(self) -> list[str]:
        """The inhibitor locks that programs hold now, each as `what:who:mode`."""
        return self._ask("locks").split()

    def _ask(self, line: str) -> str:
        assert self._driver is not None
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        self._driver.stdin.write(line + "\n")
        self._driver.stdin.flush()
        return self._driver.stdout.readline().strip()

    def close(self) -> None:
        """Kills the bus first and ends the mock after it, so that no client hears that logind leaves."""
        self._bus.kill()
        self._bus.wait(10)
        self.leave()

    def remove(self) -> None:
        """Ends everything for good and deletes the folder."""
        self.close()
        self._folder.cleanup()
