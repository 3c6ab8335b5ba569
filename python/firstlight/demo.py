"""Does the main job without a person: launch, first frame, a photo of the very frame seen, two cameras in one picture,
readiness, pressure.

`make demo` runs this program. The exit code is 0 only when every step succeeded. With a synthetic camera the pixels of
the photo must also show the frame that was asked for.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import pathlib
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import firstlight
from firstlight.client import DEFAULT_ADDRESS
from firstlight.daemon import Daemon
from firstlight.demo_composition import compose
from firstlight.enums import enum_name
from firstlight.v1 import device_service_pb2 as device_pb2, session_events_pb2 as events_pb2, session_pb2


class Journal:
    """Rows that say what happened when. Several threads add rows."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._rows: list[tuple[float, str, str]] = []
        self._changed = threading.Condition()

    def note(self, what: str, detail: str = "") -> None:
        """Adds a row with the present time."""
        with self._changed:
            self._rows.append((time.monotonic() - self._start, what, detail))
            self._changed.notify_all()

    def wait_for(self, what: str, timeout: float = 10.0) -> None:
        """Waits until a row `what` is there. Raises SystemExit when none is there after `timeout` seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: any(row[1] == what for row in self._rows), timeout):
                raise SystemExit(f"demo: no {what} within {timeout:g} s")

    def rows(self) -> list[tuple[float, str, str]]:
        """All rows in the order of their times: the seconds since the journal began, what happened, and details."""
        with self._changed:
            return sorted(self._rows)


@contextlib.contextmanager
def following(stream: firstlight.Stream[Any], note: Callable[[Any], None]) -> Iterator[None]:
    """Passes the items of `stream` to `note` on a thread of its own, until the end of the `with` block."""

    def follow(items: Iterable[Any]) -> None:
        for item in items:
            note(item)

    thread = threading.Thread(target=follow, args=(stream,))
    thread.start()
    try:
        yield
    finally:
        stream.close()
        thread.join()


def choose(devices: list[device_pb2.Device]) -> device_pb2.Device:
    """The first real camera, or the first synthetic one when there is no other. Raises SystemExit without a camera."""
    if not devices:
        raise SystemExit("demo: the daemon has no camera; start it with --synthetic 1")
    return min(devices, key=lambda device: device.device_type == device_pb2.DEVICE_TYPE_SYNTHETIC)


def describe(session: session_pb2.Session) -> str:
    """The format and the rate of the session's camera, as text for people."""
    chosen = session.resolved_configuration.inputs[0]
    rate = chosen.frame_rate_override
    return (
        f"{chosen.format.pixel_format} {chosen.format.width} x {chosen.format.height}"
        f" at {rate.numerator / (rate.denominator or 1):g} fps"
    )


def note_event(journal: Journal, event: events_pb2.SessionEvent) -> None:
    """Notes a change of the session's state, and the beginning and end of deferred start."""
    kind = event.WhichOneof("event")
    if kind == "state_changed":
        journal.note("session", enum_name(session_pb2.Session.State, event.state_changed.session_state, "STATE_"))
    elif kind in ("will_run_deferred_start", "did_run_deferred_start"):
        journal.note(kind, ", ".join(getattr(event, kind).output_ids))


def prove(frame: firstlight.Frame, photo: firstlight.Photo) -> str:
    """Checks by the pixels of the photo that it shows `frame`. Raises SystemExit when it does not."""
    board = firstlight.timecode.decode(photo.luma())
    if board is None:
        raise SystemExit("demo: the photo has no readable timecode board")
    if board.sequence != frame.sequence:
        raise SystemExit(f"demo: asked for frame {frame.sequence}, the photo shows {board.sequence}")
    return f"board reads {board.sequence}, as the viewfinder showed"


def run(client: firstlight.Client, out: pathlib.Path, journal: Journal) -> None:
    """Runs all steps against a daemon, writes the pictures to the folder `out`, and notes each step in `journal`."""
    info = client.server_info()
    journal.note("daemon answers", f"version {info.version}")
    devices = client.devices()
    for device in devices:
        journal.note("device", f"{device.name}, {device.display_name}, {len(device.formats)} formats")
    device = choose(devices)
    synthetic = device.device_type == device_pb2.DEVICE_TYPE_SYNTHETIC

    wanted = firstlight.configuration(device.name, automatic_deferred_start=False)
    created = client.create_session(idle_timeout=60, configuration=wanted)
    session = created.name
    journal.note("created and configured in one call", describe(created))
    with (
        following(client.watch_session(session), lambda event: note_event(journal, event)),
        following(client.readiness(session), lambda readiness: journal.note("readiness", readiness.name)),
        following(
            client.watch_system_pressure(),
            lambda state: journal.note("system pressure", firstlight.PressureLevel(state.level).name),
        ),
        client.preview(session) as preview,
    ):
        client.start(session)
        journal.note("start returned")

        frame = next(preview)
        journal.note("first preview frame", f"sequence {frame.sequence}, {frame.width} x {frame.height}")
        (out / "first-frame.jpg").write_bytes(frame.data)
        client.run_deferred_start(session)
        journal.wait_for("did_run_deferred_start")

        frame = next(preview)
        journal.note("shutter pressed", f"on frame {frame.sequence}")
        photo = client.photo(session, of=frame, on_event=lambda event: journal.note(f"photo {event.name}"))
        (out / "photo.jpg").write_bytes(photo.data)
        lag = "unknown" if photo.shutter_lag_ns is None else f"{photo.shutter_lag_ns / 1e6:+.1f} ms"
        journal.note("photo", f"frame {photo.sequence}, {photo.width} x {photo.height}, shutter lag {lag}")
        if synthetic:
            journal.note("pixels checked", prove(frame, photo))

        timeline = client.launch_timeline(session)
        latency = (timeline.first_frame_sent_ns - timeline.start_requested_ns) / 1e6
        journal.note("launch", f"{latency:.1f} ms from start request to first frame sent")
        journal.wait_for("system pressure")
        client.stop(session)
    client.delete_session(session)
    journal.note("session deleted")

    cameras = [each.name for each in client.devices(device_pb2.DEVICE_TYPE_SYNTHETIC)][:2]
    if len(cameras) == 2:
        compose(client, cameras, out, journal.note)
    else:
        journal.note("no composition", "it takes two synthetic cameras; start the daemon with --synthetic 2")


def main() -> None:
    """Parses the command line, runs the demo, and prints the journal."""
    parser = argparse.ArgumentParser(prog="python -m firstlight.demo", description=__doc__)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--address", default=DEFAULT_ADDRESS, help="a running daemon (default: %(default)s)")
    where.add_argument("--daemon", type=pathlib.Path, help="a daemon binary to start, with two synthetic cameras")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out"), help="where the files go")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)

    journal = Journal()
    with contextlib.ExitStack() as stack:
        address = arguments.address
        if arguments.daemon:
            data = ("--data-dir", str(arguments.out / "data"))
            log = arguments.out / "firstlightd.log"
            address = stack.enter_context(Daemon(arguments.daemon, "--synthetic", "2", *data, log=log)).address
            journal.note("daemon started", address)
        client = stack.enter_context(firstlight.connect(address))
        try:
            run(client, arguments.out, journal)
        except firstlight.FirstlightError as error:
            raise SystemExit(f"demo: {error}") from error
        finally:
            for seconds, what, detail in journal.rows():
                print(f"{seconds:8.3f} s  {what:<34} {detail}".rstrip())

    report = [{"seconds": round(s, 4), "what": what, "detail": detail} for s, what, detail in journal.rows()]
    (arguments.out / "demo.json").write_text(json.dumps(report, indent=2) + "\n")
    print(f"\nFiles: {', '.join(str(path) for path in sorted(arguments.out.iterdir()) if path.is_file())}")


if __name__ == "__main__":
    sys.exit(main())
