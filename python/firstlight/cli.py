"""The `firstlight` command, which shows and uses the cameras of a daemon from a shell."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from typing import NoReturn

import firstlight
from firstlight.client import DEFAULT_ADDRESS
from firstlight.commands import cameras, pictures, record, recordings
from firstlight.commands.common import UnusableValueError


def main() -> int:
    """Runs the command line. Returns the exit code: 0, 1 after an error, 130 after an interrupt.

    SIGTERM and SIGHUP interrupt a command as the keyboard does, so that it ends its recording and deletes its session.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        # `nohup` ignores SIGHUP, and that stays so.
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)
    _complete_standard_streams()
    parser = argparse.ArgumentParser(prog="firstlight", description="Look at what a Firstlight daemon has.")
    parser.add_argument("--address", default=DEFAULT_ADDRESS, help="the daemon (default: %(default)s)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in (cameras, pictures, record, recordings):
        module.add(commands)
    arguments = parser.parse_args()
    try:
        with firstlight.connect(arguments.address) as client:
            arguments.run(client, arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the output, for example `head`, has ended. Python writes the rest of the output at its end, and
        # that must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (firstlight.FirstlightError, UnusableValueError, OSError) as error:
        print(f"firstlight: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _complete_standard_streams() -> None:
    """Makes every text printable, and opens the streams that the caller has closed, as cron and some services do."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # The descriptor must not become that of a file or of a connection.
            try:
                os.fstat(number)
            except OSError:
                os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, open(os.devnull, "r" if number == 0 else "w"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name of a camera may have letters that the encoding of the locale lacks.
        sys.stdout.reconfigure(errors="backslashreplace")


def _interrupt(*_: object) -> NoReturn:
    """Interrupts the command. A closed terminal sends SIGHUP twice, and the second must not interrupt the end."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
