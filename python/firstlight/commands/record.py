"""The command `record`."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
import time

import firstlight
from firstlight.commands.common import UnusableValueError, add_source, lost_frames, running_session, stopped
from firstlight.commands.progress import Progress, size_text
from firstlight.v1 import recording_pb2

Recording = recording_pb2.Recording


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command."""
    record = commands.add_parser("record", help="record a movie, until interrupted or for some seconds")
    record.add_argument("file", nargs="?", default="", help="the file, below the daemon's folder of recordings")
    record.add_argument("--seconds", type=float, help="how long the movie becomes (default: until interrupted)")
    record.add_argument(
        "--pre-roll",
        type=float,
        metavar="SECONDS",
        help="how long before the command the movie begins, in a --session whose movie output has a pre-roll",
    )
    record.add_argument(
        "--optimize-for-network-use",
        action="store_true",
        help="put the index of the finished movie in front, so that it plays after a small download",
    )
    add_source(record)
    record.set_defaults(run=record_movie)


def record_movie(client: firstlight.Client, arguments: argparse.Namespace) -> None:
    """Records a movie, tells each second how far it is, and at the end where it is.

    An interrupt ends the movie, whose file is complete when the command returns. Raises
    FirstlightError when the recording ended by an error, and UnusableValueError for a duration that is not above 0.
    """
    if arguments.seconds is not None and not 0 < arguments.seconds < math.inf:
        raise UnusableValueError("--seconds must be a number above 0")
    with (
        running_session(client, arguments, movie=firstlight.movie_output()) as session,
        client.start_recording(
            session,
            arguments.file,
            max_seconds=arguments.seconds,
            pre_roll=arguments.pre_roll,
            optimize_for_network_use=arguments.optimize_for_network_use,
        ) as events,
    ):
        recording = _follow(client, next(events).recording)
    if recording.playable:
        print(f"{recording.name}  {recording.file}  {_describe(recording)}")
    if recording.end.HasField("error"):
        raise firstlight.FirstlightError.from_status(recording.end.error)


def _follow(client: firstlight.Client, recording: Recording) -> Recording:
    """Tells how far a recording is until it has finished. An interrupt ends the recording, and so does an error."""
    name = recording.name
    try:
        with Progress() as progress:
            while recording.state != Recording.STATE_FINISHED:
                progress.show_each_second(_describe(recording))
                time.sleep(0.1)
                recording = client.recording(name)
    except KeyboardInterrupt:
        # A terminal that was closed takes no output.
        with contextlib.suppress(OSError):
            print("firstlight: ending the recording", file=sys.stderr)
        recording = stopped(client, name)
    except BaseException:
        # Nobody else would end the recording, which has no limit and keeps its session.
        with contextlib.suppress(firstlight.FirstlightError):
            client.stop_recording(name)
        raise
    return recording


def _describe(recording: Recording) -> str:
    """The duration, the size and the lost frames of a recording."""
    seconds = recording.recorded_duration.ToNanoseconds() / 1e9
    return f"{seconds:.1f} s, {size_text(recording.recorded_file_size)}, {lost_frames(recording.dropped)} lost"
