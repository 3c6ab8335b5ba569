"""What several commands need: the session that they use, and the error of a value that makes no sense."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator

import grpc

import firstlight
from firstlight.v1 import recording_pb2, session_configuration_pb2 as configuration_pb2, types_pb2

# Seconds after which the daemon deletes the session of a command that was killed, so that the camera becomes free. A
# session that records stays until its recording ends.
_IDLE_TIMEOUT = 10.0


class UnusableValueError(Exception):
    """A value on the command line that the command cannot use."""


def add_source(command: argparse.ArgumentParser) -> None:
    """Adds the options that say which camera a command uses."""
    source = command.add_mutually_exclusive_group()
    source.add_argument("--device", help="a camera (default: the first one listed)")
    source.add_argument("--session", help="a session that runs already")


@contextlib.contextmanager
def running_session(
    client: firstlight.Client,
    arguments: argparse.Namespace,
    *,
    movie: configuration_pb2.MovieOutput | None = None,
) -> Iterator[str]:
    """Gives the resource name of a running session.

    This is the session that the command line names, or else a new session of the camera that it names, which is
    deleted at the end of the `with` block. A new session has the movie output `movie`; None for no movie output.
    """
    if arguments.session:
        yield arguments.session
        return
    wanted = firstlight.configuration(arguments.device or first_device(client), movie=movie)
    session = client.create_session(idle_timeout=_IDLE_TIMEOUT, configuration=wanted, start=True).name
    try:
        yield session
    finally:
        client.delete_session(session)


def stopped(client: firstlight.Client, recording: str) -> recording_pb2.Recording:
    """Stops a recording, waits until its file is complete, and returns it."""
    while True:
        try:
            return client.stop_recording(recording)
        except firstlight.FirstlightError as error:
            # A large movie with its index in front may take longer than a call.
            if error.code is not grpc.StatusCode.DEADLINE_EXCEEDED:
                raise


def lost_frames(dropped: types_pb2.DropCounts) -> int:
    """The number of frames that were dropped for any cause."""
    return sum(count for _, count in dropped.ListFields())


def first_device(client: firstlight.Client) -> str:
    """The resource name of the camera that is listed first. Empty without a camera."""
    return next((device.name for device in client.devices()), "")
