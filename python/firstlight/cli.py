"""The `firstlight` command, which shows and uses the cameras of a daemon from a shell."""

from __future__ import annotations

import argparse
import contextlib
import pathlib
import sys
import time
from collections.abc import Iterator

import firstlight
from firstlight.client import DEFAULT_ADDRESS
from firstlight.controls import Value, describe, parse
from firstlight.v1 import device_service_pb2 as device_pb2

# Seconds after which the daemon deletes the session of a command that was killed, so that the camera becomes free.
_IDLE_TIMEOUT = 10.0
_ENCODINGS = {
    ".heic": firstlight.Encoding.HEIC,
    ".heif": firstlight.Encoding.HEIC,
    ".png": firstlight.Encoding.PNG,
}


class UnusableValueError(Exception):
    """A value on the command line that its control cannot take."""


def main() -> int:
    """Runs the command line. Returns the exit code: 0, 1 after an error, 130 after an interrupt from the keyboard."""
    parser = argparse.ArgumentParser(prog="firstlight", description="Look at what a Firstlight daemon has.")
    parser.add_argument("--address", default=DEFAULT_ADDRESS, help="the daemon (default: %(default)s)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    devices = commands.add_parser("devices", help="list the cameras and their formats")
    devices.set_defaults(run=list_devices)

    controls = commands.add_parser("controls", help="list a camera's controls, or set some")
    controls.add_argument("--device", help="a camera (default: the first one listed)")
    controls.add_argument("--session", default="", help="the session that runs the camera, to set controls meanwhile")
    controls.add_argument("settings", nargs="*", metavar="CONTROL=VALUE", help="without VALUE: the default")
    controls.set_defaults(run=show_or_set_controls)

    photo = commands.add_parser("photo", help="take a photo")
    photo.add_argument("file", type=pathlib.Path, help="where to write it: .jpg, .heic or .png")
    photo.set_defaults(run=take_photo)

    watch = commands.add_parser("watch", help="print rate and lost frames each second, and the cadence at the end")
    watch.add_argument("--seconds", type=float, default=float("inf"), help="how long (default: until interrupted)")
    watch.add_argument("--adaptive", action="store_true", help="lower quality, rate or size while the link is slow")
    watch.set_defaults(run=watch_preview)

    for command in (photo, watch):
        what = command.add_mutually_exclusive_group()
        what.add_argument("--device", help="a camera (default: the first one listed)")
        what.add_argument("--session", help="a session that runs already")

    arguments = parser.parse_args()
    try:
        with firstlight.connect(arguments.address) as client:
            arguments.run(client, arguments)
    except (firstlight.FirstlightError, UnusableValueError) as error:
        print(f"firstlight: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def list_devices(client: firstlight.Client, _: argparse.Namespace) -> None:
    """Prints the cameras and their formats."""
    for device in client.devices():
        print(f"{device.name}  {device.display_name}  ({device.driver})")
        if device.HasField("unavailable"):
            print(f"  cannot be used: {device.unavailable.message}")
        for format in device.formats:
            print(f"  {format.pixel_format}  {_describe_size(format)}  {format.description}")


def show_or_set_controls(client: firstlight.Client, arguments: argparse.Namespace) -> None:
    """Sets the controls that the command line names, then prints these controls, or all when it names none.

    Raises UnusableValueError for a value that its control cannot take, and FirstlightError for the first control that
    the daemon did not set.
    """
    device = client.device(arguments.device or _first_device(client))
    known = {control.id: control for control in device.controls}
    wanted: dict[str, Value | None] = {}
    for argument in arguments.settings:
        control, _, text = argument.partition("=")
        # A control that the camera does not list is sent all the same: the daemon refuses it with an error.
        wanted[control] = None
        if text and control in known:
            try:
                wanted[control] = parse(known[control], text)
            except ValueError as error:
                raise UnusableValueError(error) from error
    try:
        results = client.set_controls(device.name, wanted, session=arguments.session) if wanted else []
    except ValueError as error:
        raise UnusableValueError(error) from error
    failures = [result for result in results if result.HasField("error")]
    for control in client.device(device.name).controls:
        if not wanted or control.id in wanted:
            print(describe(control))
    if failures:
        raise firstlight.FirstlightError.from_status(failures[0].error)


def take_photo(client: firstlight.Client, arguments: argparse.Namespace) -> None:
    """Takes a photo and writes it to a file.

    The suffix of the file decides the encoding; the photo is JPEG when the suffix is unknown.
    """
    with _running_session(client, arguments) as session:
        photo = client.photo(session, encoding=_ENCODINGS.get(arguments.file.suffix.lower()))
    arguments.file.write_bytes(photo.data)
    print(f"{arguments.file}: {photo.width} x {photo.height}, frame {photo.sequence}")


def watch_preview(client: firstlight.Client, arguments: argparse.Namespace) -> None:
    """Prints rate, lost frames and size of the preview once a second, and at the end how evenly frames came."""
    cadence = firstlight.Cadence()
    try:
        with (
            _running_session(client, arguments) as session,
            client.preview(session, adaptive=arguments.adaptive) as preview,
        ):
            shown, lost, began = 0, 0, time.monotonic()
            end = began + arguments.seconds
            for frame in preview:
                cadence.add(frame, time.monotonic_ns())
                shown += 1
                lost += sum(frame.dropped)
                elapsed = time.monotonic() - began
                if elapsed >= 1:
                    rate = f"{shown / elapsed:5.1f} fps, {lost} lost"
                    size = f"{frame.width} x {frame.height}, {len(frame.data)} bytes"
                    quality = f", quality {preview.status.jpeg_quality}" if preview.status.jpeg_quality else ""
                    print(f"frame {frame.sequence}: {rate}, {size}{quality}")
                    shown, lost, began = 0, 0, time.monotonic()
                if time.monotonic() >= end:
                    break
    finally:
        if summary := cadence.summary():
            print(summary)


@contextlib.contextmanager
def _running_session(client: firstlight.Client, arguments: argparse.Namespace) -> Iterator[str]:
    """Gives the resource name of a running session.

    This is the session that the command line names, or else a new session of the camera that it names, which is
    deleted at the end of the `with` block.
    """
    if arguments.session:
        yield arguments.session
        return
    device = arguments.device or _first_device(client)
    wanted = firstlight.configuration(device)
    session = client.create_session(idle_timeout=_IDLE_TIMEOUT, configuration=wanted, start=True).name
    try:
        yield session
    finally:
        client.delete_session(session)


def _first_device(client: firstlight.Client) -> str:
    return next((device.name for device in client.devices()), "")


def _describe_size(format: device_pb2.DeviceFormat) -> str:
    if format.HasField("size"):
        return f"{format.size.width} x {format.size.height}"
    smallest, largest = format.size_range.minimum_size, format.size_range.maximum_size
    return f"{smallest.width} x {smallest.height} to {largest.width} x {largest.height}"
