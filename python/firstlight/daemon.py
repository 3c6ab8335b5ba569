"""Runs a daemon of one's own, for scripts and tests that want no other."""

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
    """A `firstlightd serve` process on a free port of this machine; stopped at the end of the `with` block.

    Everything it prints goes to the file `log`.
    """

    def __init__(self, binary: str | pathlib.Path, *arguments: str, log: pathlib.Path, timeout: float = 10.0) -> None:
        """Starts the process and returns when it accepts calls. Raises RuntimeError when it does not."""
        #: The command line.
        self.command: Sequence[str] = (str(binary), "serve", "--listen", "127.0.0.1:0", *arguments)
        self._log = log.open("wb")
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
            raise RuntimeError(f"{' '.join(self.command)} did not become ready:\n{log.read_text(errors='replace')}")
        #: Where it listens, for `firstlight.connect`.
        self.address = address

    def stop(self, timeout: float = 10.0) -> int:
        """Asks the process to end and returns its exit code. Raises TimeoutExpired, after a kill, when it will not."""
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
        """Keeps the pipe empty, so that the daemon never waits for us."""
        for line in output:
            self._log.write(line)
            self._log.flush()
            text = line.decode(errors="replace").strip()
            if _READY in text:
                ready.put(text.rsplit(_READY, 1)[1])
        ready.put(None)
