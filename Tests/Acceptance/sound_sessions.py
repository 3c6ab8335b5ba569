"""Sessions with microphones, and when their sound counts as in step with the pictures."""

from __future__ import annotations

import contextlib
import pathlib
from collections.abc import Callable, Iterator

import firstlight
from captures import SMALL
from firstlight.daemon import Daemon
from firstlight.v1 import session_pb2
from support import SYNTHETIC

MICROPHONES = ("devices/synthetic-microphone-0", "devices/synthetic-microphone-1")
#: Below this, sound counts as in step, in seconds: a small part of a frame.
IN_STEP = 0.003
Session = session_pb2.Session


@contextlib.contextmanager
def sound_recorder(
    own_daemon: Callable[..., Daemon], tmp_path: pathlib.Path
) -> Iterator[tuple[firstlight.Client, pathlib.Path]]:
    """A client of a daemon with two microphones, and the folder of its recordings."""
    folder = tmp_path / "movies"
    options = ("--synthetic-microphones", "2", "--enable-fault-injection", "--http-listen", "127.0.0.1:0")
    daemon = own_daemon(*options, "--recordings-dir", str(folder))
    with firstlight.connect(daemon.address, timeout=20) as client:
        yield client, folder


def sound_session(client: firstlight.Client, *microphones, audio_codec=None, codec=None, **features) -> str:
    """Makes and starts a session with a camera, the microphones and a movie output, and returns its name."""
    movie = firstlight.movie_output(codec=codec, audio_codec=audio_codec)
    inputs = microphones or [firstlight.microphone(MICROPHONES[0])]
    wanted = firstlight.configuration(SYNTHETIC[0], movie=movie, microphones=inputs, **SMALL, **features)
    return client.create_session(configuration=wanted, start=True).name


def inputs_of(client: firstlight.Client, session: str) -> dict[str, session_pb2.InputStatus]:
    """What a session tells of its inputs, by their ids."""
    return {status.input: status for status in client.session(session).input_status}


def when_running(client: firstlight.Client, session: str, *, inputs=("microphone",), state=Session.STATE_RUNNING):
    """Waits until the inputs are in a state."""
    with client.watch_session(session) as events:
        for _ in events:
            now = inputs_of(client, session)
            if all(now[input].state == state for input in inputs):
                return
    raise AssertionError("the session ended")
