"""Runs a daemon as a child process, for scripts and tests that must not share a daemon."""

from __future__ import annotations

import pathlib
import queue
import signal
import subprocess
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import IO, Self

_READY = "listening on "


class Daemon:
    """A `firstlightd serve` process that listens on a free port of this machine, and serves no HTTP unless
    `--http-listen` is among its arguments.

    The end of a `with` block stops the process, and raises RuntimeError when its exit code is not 0 and the block
    itself raised nothing. All output of the process goes to the file `log`.
    """

    def __init__(self, binary: str | pathlib.Path, *arguments: str, log: pathlib.Path, timeout: float = 10.0) -> None:
        """Starts the process, and returns when it accepts calls.

        `arguments` are further arguments of the command line. Raises RuntimeError when the process does not accept
        calls within `timeout` seconds.
        """
        #: The command line of the process.
        # The usual port of HTTP is that of one daemon alone.
        own = ("--listen", "127.0.0.1:0", "--http-listen", "none")
        self.command: Sequence[str] = (str(binary), "serve", *own, *arguments)
        self._log = log.open("wb")
        #: The process. A thread of this object reads its standard output.
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=self._log)
        ready: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        assert self.process.stdout is not None
        self._copier = threading.Thread(target=self._copy, args=(self.process.stdout, ready), daemon=True)
        self._copier.start()
        try:
            address = ready.get(timeout=timeout)
        except queue.Empty:
            address = None
        if address is None:
            self.process.kill()
            self.process.wait()
            self._copier.join()
            self._log.close()
            raise RuntimeError(f"{' '.join(self.command)} did not become ready:\n{log.read_text(errors='replace')}")
        #: The address at which the daemon listens, for `firstlight.connect`.
        self.address = address

    def stop(self, timeout: float = 10.0) -> int:
        """Asks the process to end, and returns its exit code.

        When the process does not end within `timeout` seconds, kills it and raises subprocess.TimeoutExpired.
        """
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self._copier.join()
            self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        code = self.stop()
        if code != 0 and error is None:
            raise RuntimeError(f"{' '.join(self.command)} ended with exit code {code}")

    def _copy(self, output: IO[bytes], ready: queue.SimpleQueue[str | None]) -> None:
        """Copies the output to the log, so that the pipe never fills up and the daemon never waits for the pipe."""
        with output:
            for line in output:
                self._log.write(line)
                self._log.flush()
                text = line.decode(errors="replace").strip()
                if _READY in text:
                    ready.put(text.rsplit(_READY, 1)[1])
        ready.put(None)
