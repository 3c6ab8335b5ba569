"""Sessions with two cameras and a composition of them, and what its pictures have to show."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import firstlight
from camera_sets import CAMERAS
from firstlight import camera_input, composition_input, connection, layer, video_data_output

RATE = 30
PERIOD_NS = 10**9 // RATE
SIZE = (640, 360)
#: Where the picture in picture lies: it covers neither board of the camera that fills the picture.
WHOLE, INSET = (0, 0, 640, 360), (304, 160, 320, 180)


def picture_in_picture(first="cam-0", second="cam-1", *, is_swapped=False):
    """Layers of which one fills the picture and the other lies over it. The first is the clock wherever it lies."""
    places = [(WHOLE, 0), (INSET, 1)]
    if is_swapped:
        places.reverse()
    return [layer(camera, place, order=order) for camera, (place, order) in zip((first, second), places, strict=True)]


def configured(layers=None, *, connected=("data",), enabled=True, **outputs):
    """Two cameras, and the composition `both` of them, which is connected to outputs."""
    inputs = [
        camera_input(device, id=f"cam-{number}", pixel_format="NV12", size=(640, 360), frame_rate=RATE)
        for number, device in enumerate(CAMERAS[:2])
    ]
    inputs.append(composition_input("both", SIZE, layers or picture_in_picture()))
    return firstlight.configuration(
        inputs=inputs,
        video_data=[video_data_output("data", queue_depth=32)] if "data" in connected else [],
        connections=[connection(output, input="both", enabled=enabled) for output in connected],
        **{"preview": "preview" in connected, "photo": "photo" in connected, **outputs},
    )


def shown(picture, place):
    """What the board in a rectangle of a picture says."""
    left, top, width, height = place
    return firstlight.timecode.decode(picture.luma()[top : top + height, left : left + width])


def check(picture, *places):
    """Checks that each layer of a picture shows the frame that its source names, in its rectangle."""
    assert [source.input for source in picture.sources] == [f"cam-{number}" for number in range(len(places))]
    for number, (source, place) in enumerate(zip(picture.sources, places, strict=True)):
        assert shown(picture, place) == (source.sequence, source.capture_time_ns, number)
    first = picture.sources[0]
    assert (picture.sequence, picture.capture_time_ns) == (first.sequence, first.capture_time_ns)
    assert picture.monotonic_time_ns == first.monotonic_time_ns


@dataclasses.dataclass
class StalePartners:
    """A stream of composed frames, as the sequence number of each and whether its second layer is said to be stale."""

    stream: firstlight.Stream[firstlight.Frame]

    def __iter__(self) -> Iterator[tuple[int, bool]]:
        for frame in self.stream:
            yield frame.sequence, frame.sources[1].stale

    def close(self) -> None:
        """Ends the stream."""
        self.stream.close()
