"""What the tests of recordings in the viewfinder page share."""

from __future__ import annotations

import itertools

import firstlight
from browser import Viewfinder
from firstlight.v1 import recording_pb2

#: Whether the page shows a recording that takes frames.
RUNNING = "firstlight.recording?.state === 'RECORDING'"
#: The video of the player.
VIDEO = "document.querySelector('#player video')"
#: What the player says.
WORDS = "document.querySelector('#player .words').textContent"
#: The movies of the list.
ITEMS = "document.querySelectorAll('.movies li')"


def text(viewfinder: Viewfinder, selector: str) -> str:
    """The text of an element."""
    return viewfinder.get(f"document.querySelector('{selector}').textContent")


def pressed(viewfinder: Viewfinder) -> str:
    """Whether the button shows a recording: 'true' or 'false'."""
    return viewfinder.get("document.querySelector('#record').ariaPressed")


def wait_for_time(viewfinder: Viewfinder, seconds: int) -> None:
    """Waits until the running time has come to a number of seconds."""
    viewfinder.wait(f"/^0:(\\d\\d)/.exec(document.querySelector('#recording-time').textContent)[1] >= {seconds}")


def recorded(client: firstlight.Client, session: str, frames: int = 10, **options) -> recording_pb2.Recording:
    """Another client records about so many frames."""
    with client.start_recording(session, fragment_seconds=0.1, **options) as events:
        name = next(events).recording.name
    list(itertools.islice(client.preview(session), frames))
    return client.stop_recording(name)


def item(name: str) -> str:
    """The selector of a recording in the list."""
    return f'.movies li[data-recording="{name}"]'
