"""The whole wanted configuration of a session, in one call."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from firstlight import values
from firstlight.enums import ColorRange
from firstlight.photos import Quality
from firstlight.pressure import AdaptationPolicy
from firstlight.v1 import session_configuration_pb2 as configuration_pb2


def configuration(
    device: str,
    *,
    preset: configuration_pb2.SessionPreset | None = None,
    pixel_format: str = "",
    size: tuple[int, int] | None = None,
    frame_rate: float | Fraction | None = None,
    preview: bool = True,
    photo: bool = True,
    zero_shutter_lag: bool | None = None,
    responsive_capture: bool | None = None,
    fast_capture_prioritization: bool | None = None,
    max_quality: Quality | None = None,
    additional_previews: Iterable[str] = (),
    video_data: Iterable[configuration_pb2.VideoDataOutput] = (),
    connections: Iterable[configuration_pb2.SessionConnection] = (),
    automatic_deferred_start: bool | None = None,
    adaptation: AdaptationPolicy | None = None,
) -> configuration_pb2.SessionConfiguration:
    """One camera with a preview and a photo output; what is not given keeps the daemon's documented default.

    `pixel_format` (a V4L2 four-character code) and `size` name an explicit format and must come together; without them
    the preset picks. `frame_rate` is frames per second, as the nearest fraction. `additional_previews` are ids;
    `video_data` comes of `video_data_output` and `connections` of `connection`: with any connection, outputs without
    one get no frames. `adaptation` says who takes load off a machine under pressure. Edit the result for anything
    finer. A value that no message has room for is a TypeError or a ValueError that names the argument.
    """
    if bool(pixel_format) != (size is not None):
        raise ValueError("pixel_format and size must come together")
    wanted = configuration_pb2.SessionConfiguration(
        inputs=[configuration_pb2.SessionInput(device=values.text("device", device))],
        preset=preset,
        automatically_runs_deferred_start=automatic_deferred_start,
        adaptation_policy=adaptation,
        connections=connections,
        additional_previews=[
            configuration_pb2.PreviewOutput(id=id) for id in values.texts("additional_previews", additional_previews)
        ],
        video_data=video_data,
    )
    if size is not None:
        wide = values.size("size", size)
        wanted.inputs[0].format.CopyFrom(
            configuration_pb2.StreamFormat(
                pixel_format=values.text("pixel_format", pixel_format), width=wide.width, height=wide.height
            )
        )
    if frame_rate is not None:
        wanted.inputs[0].frame_rate_override.CopyFrom(values.rate("frame_rate", frame_rate))
    if preview:
        wanted.preview.SetInParent()
    if photo:
        wanted.photo.CopyFrom(
            configuration_pb2.PhotoOutput(
                zero_shutter_lag_enabled=zero_shutter_lag,
                responsive_capture_enabled=responsive_capture,
                fast_capture_prioritization_enabled=fast_capture_prioritization,
                max_quality_prioritization=max_quality,
            )
        )
    return wanted


def video_data_output(
    id: str,
    *,
    pixel_format: str = "",
    color_range: ColorRange | None = None,
    queue_depth: int | None = None,
) -> configuration_pb2.VideoDataOutput:
    """An output that gives every frame to programs, as it is or converted to `pixel_format` and `color_range`.

    Without a `queue_depth` a reader that is late gets the newest frame; with one so many wait for it, and those that
    find no room are dropped.
    """
    return configuration_pb2.VideoDataOutput(
        id=values.text("id", id),
        pixel_format=values.text("pixel_format", pixel_format),
        color_range=color_range,
        always_discards_late_video_frames=None if queue_depth is None else False,
        max_queue_depth=values.whole_or_none("queue_depth", queue_depth),
    )


def connection(
    output: str, *, input: str = "camera", enabled: bool = True, rotated: int | None = None, mirrored: bool = False
) -> configuration_pb2.SessionConnection:
    """The way of frames to `output`: turned clockwise by `rotated` degrees (0, 90, 180 or 270), then mirrored.

    None turns them as the operator says that the camera is mounted, where the output can be turned.
    """
    return configuration_pb2.SessionConnection(
        input=values.text("input", input),
        output=values.text("output", output),
        enabled=enabled,
        video_rotation_angle=values.whole_or_none("rotated", rotated),
        video_mirrored=mirrored,
    )
