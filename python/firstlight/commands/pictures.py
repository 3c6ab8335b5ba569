"""The commands `photo` and `watch`."""

from __future__ import annotations

import argparse
import pathlib
import time

import firstlight
from firstlight.commands.common import add_source, running_session

_ENCODINGS = {
    ".heic": firstlight.Encoding.HEIC,
    ".heif": firstlight.Encoding.HEIC,
    ".png": firstlight.Encoding.PNG,
}


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the commands of this module."""
    photo = commands.add_parser("photo", help="take a photo")
    photo.add_argument("file", type=pathlib.Path, help="where to write it: .jpg, .heic or .png")
    add_source(photo)
    photo.set_defaults(run=take_photo)

    watch = commands.add_parser("watch", help="print rate and lost frames each second, and the cadence at the end")
    watch.add_argument("--seconds", type=float, default=float("inf"), help="how long (default: until interrupted)")
    watch.add_argument("--adaptive", action="store_true", help="lower quality, rate or size while the link is slow")
    add_source(watch)
    watch.set_defaults(run=watch_preview)


def take_photo(client: firstlight.Client, arguments: argparse.Namespace) -> None:
    """Takes a photo and writes it to a file.

    The suffix of the file decides the encoding; the photo is JPEG when the suffix is unknown.
    """
    with running_session(client, arguments) as session:
        photo = client.photo(session, encoding=_ENCODINGS.get(arguments.file.suffix.lower()))
    arguments.file.write_bytes(photo.data)
    print(f"{arguments.file}: {photo.width} x {photo.height}, frame {photo.sequence}")


def watch_preview(client: firstlight.Client, arguments: argparse.Namespace) -> None:
    """Prints rate, lost frames and size of the preview once a second, and at the end how evenly frames came."""
    cadence = firstlight.Cadence()
    try:
        with (
            running_session(client, arguments) as session,
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
