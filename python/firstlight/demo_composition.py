"""A step of the demo: two cameras in one picture."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence

import firstlight
from firstlight import camera_input, composition_input, connection, layer

#: The size of the picture. The inset lies over the other camera, and not over the board of that.
SIZE = (1280, 720)
WHOLE, INSET = (0, 0, *SIZE), (784, 434, 480, 270)


def compose(
    client: firstlight.Client, cameras: Sequence[str], out: pathlib.Path, note: Callable[[str, str], None]
) -> None:
    """Takes a photo that shows the second of two synthetic cameras in a corner of the first one.

    Writes the photo to the folder `out`, and notes which frame of which camera it shows. Raises SystemExit when the
    pixels of the photo show other frames.
    """
    wide, close = (camera_input(camera, id=id) for camera, id in zip(cameras, ("wide", "close"), strict=True))
    both = composition_input("both", SIZE, [layer("wide", WHOLE), layer("close", INSET, order=1)])
    wanted = firstlight.configuration(
        inputs=[wide, close, both],
        connections=[connection("preview", input="both"), connection("photo", input="both")],
    )
    session = client.create_session(idle_timeout=60, configuration=wanted, start=True).name
    note("two cameras and a composition run", ", ".join(cameras))
    with client.preview(session) as preview:
        frame = next(frame for frame in preview if all(source.stream_id for source in frame.sources))
        photo = client.photo(session, of=frame)
    (out / "composition.jpg").write_bytes(photo.data)
    note("photo of the composition", f"frame {photo.sequence}, {photo.width} x {photo.height}")
    for source, (left, top, width, height) in zip(photo.sources, (WHOLE, INSET), strict=True):
        board = firstlight.timecode.decode(photo.luma()[top : top + height, left : left + width])
        if board is None or board.sequence != source.sequence:
            raise SystemExit(f"demo: the composition should show frame {source.sequence} of {source.input}: {board}")
        age = "an earlier frame" if source.stale else "the nearest frame"
        note("the composition shows", f"frame {source.sequence} of {source.input}, {age}; the board reads the same")
    client.delete_session(session)
