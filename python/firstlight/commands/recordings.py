"""The commands that list, stop, delete and fetch recordings."""

from __future__ import annotations

import argparse
import pathlib
import re
import tempfile
from collections.abc import Callable
from decimal import Decimal

from google.protobuf.timestamp_pb2 import Timestamp

import firstlight
from firstlight.commands.common import UnusableValueError, lost_frames, stopped
from firstlight.commands.progress import Progress, size_text
from firstlight.v1 import recording_pb2

Recording = recording_pb2.Recording

# What the help says of a time.
_INSTANT = "2026-11-26T02:05:33.25Z, or the seconds since 1970"


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the commands of this module."""
    listing = commands.add_parser("recordings", help="list the recordings, the newest first")
    listing.add_argument("--session", default="", help="only those of this session")
    listing.add_argument("--spans", action="store_true", help="list the times without a gap between recordings instead")
    listing.add_argument("--since", type=_instant, help=f"only those from this time on: {_INSTANT}")
    listing.add_argument("--until", type=_instant, help="only those before this time")
    listing.set_defaults(run=list_recordings)

    stop = commands.add_parser("stop", help="stop a recording, whoever started it")
    stop.set_defaults(run=stop_recording)
    delete = commands.add_parser("delete", help="delete a recording and its file")
    delete.set_defaults(run=delete_recording)

    download = commands.add_parser("download", help="fetch the file of a recording")
    download.set_defaults(run=download_recording)

    export = commands.add_parser("export", help="fetch one movie of all frames of a time")
    export.add_argument("--session", required=True, help="the session that recorded")
    export.add_argument("--start", required=True, type=_instant, help=_INSTANT)
    export.add_argument("--duration", required=True, type=float, help="in seconds")
    export.add_argument("--output", default="", help="the movie output (default: the only one that recorded)")
    export.add_argument(
        "--no-exact",
        dest="exact",
        action="store_false",
        help="encode nothing anew; the file may hold up to 2 s from before the start, which mpv and VLC show",
    )
    export.set_defaults(run=export_recording)

    for command in (stop, delete, download):
        command.add_argument("recording", help="the name of the recording, recordings/ID")
    for command in (download, export):
        command.add_argument("file", type=pathlib.Path, help="where to write it")
        command.add_argument("--force", action="store_true", help="replace a file that exists")


def list_recordings(client: firstlight.Client, arguments: argparse.Namespace) -> None:
    """Prints the recordings, the newest first, or the times without a gap between them, in their order."""
    if arguments.spans:
        for span in client.recording_spans(arguments.session, start=arguments.since, end=arguments.until):
            seconds = (span.end_time.ToNanoseconds() - span.start_time.ToNanoseconds()) / 1e9
            count = len(span.recording_names)
            lost = lost_frames(span.dropped)
            start = span.start_time.ToJsonString()
            print(f"{start:<30}  {seconds:.1f} s  {span.session}  {span.output}  {count} recordings  {lost} lost")
        return
    for recording in client.recordings(arguments.session, start=arguments.since, end=arguments.until):
        time = recording.start_time if recording.HasField("start_time") else recording.request_time
        state = Recording.State.Name(recording.state).removeprefix("STATE_").lower()
        seconds = recording.recorded_duration.ToNanoseconds() / 1e9
        size = size_text(recording.recorded_file_size)
        print(f"{time.ToJsonString():<30}  {state:<9}  {seconds:.1f} s  {size}  {recording.name}  {recording.file}")


def stop_recording(client: firstlight.Client, arguments: argparse.Namespace) -> None:
    """Stops a recording, whose file is complete when the command returns."""
    recording = stopped(client, arguments.recording)
    print(f"{recording.name}  {recording.file}")


def delete_recording(client: firstlight.Client, arguments: argparse.Namespace) -> None:
    """Deletes a finished recording and its file."""
    client.delete_recording(arguments.recording)


def download_recording(client: firstlight.Client, arguments: argparse.Namespace) -> None:
    """Fetches the file of a recording, as far as it plays."""
    whole = size_text(client.recording(arguments.recording).recorded_file_size)
    _fetch(arguments, whole, lambda path, tell: client.download_recording(arguments.recording, path, progress=tell))


def export_recording(client: firstlight.Client, arguments: argparse.Namespace) -> None:
    """Fetches one movie of all frames of a span of time."""

    def export(path: pathlib.Path, tell: Callable[[int], None]) -> int:
        return client.export_recording(
            arguments.session,
            arguments.start,
            arguments.duration,
            path,
            output=arguments.output,
            exact=arguments.exact,
            progress=tell,
        )

    _fetch(arguments, "", export)


def _fetch(
    arguments: argparse.Namespace, whole: str, write: Callable[[pathlib.Path, Callable[[int], None]], int]
) -> None:
    """Writes the file that the command line names, and tells how far it is.

    `write` writes to a path that does not exist, calls its second argument with the number of bytes that came, and
    returns the size. The bytes come into a folder beside the file that is named, so that a file that `--force` replaces
    stays until the new one is complete. Whatever fails, no file is left that is not complete.
    """
    file: pathlib.Path = arguments.file
    of = f" of {whole}" if whole else ""
    if not arguments.force:
        try:
            # The empty file keeps the name until the end.
            file.touch(exist_ok=False)
        except FileExistsError as error:
            raise UnusableValueError(f"{file} exists already; --force replaces it") from error
    is_complete = False
    try:
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=".firstlight-") as folder, Progress() as progress:
            part = pathlib.Path(folder) / file.name
            size = write(part, lambda count: progress.show_each_second(f"{size_text(count)}{of}"))
            part.replace(file)
            is_complete = True
    except BaseException as error:
        if not is_complete and not arguments.force:
            file.unlink(missing_ok=True)
        if isinstance(error, ValueError):
            raise UnusableValueError(error) from error
        raise
    print(f"{file}: {size_text(size)}")


def _instant(text: str) -> int:
    """The nanoseconds since 1970 of a time in RFC 3339, or of a number of seconds since 1970."""
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return int(Decimal(text) * 1_000_000_000)
    stamp = Timestamp()
    try:
        stamp.FromJsonString(text)
    except ValueError:
        message = f"{text} is neither a time such as 2026-11-26T02:05:33.25Z nor the seconds since 1970"
        raise argparse.ArgumentTypeError(message) from None
    return stamp.ToNanoseconds()
