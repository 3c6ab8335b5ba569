"""The whole wanted configuration of a session, in one call."""

from __future__ import annotations

from firstlight.v1 import session_configuration_pb2 as configuration_pb2, types_pb2


def configuration(
    device: str,
    *,
    preset: configuration_pb2.SessionPreset | None = None,
    pixel_format: str = "",
    size: tuple[int, int] | None = None,
    frame_rate: int | None = None,
    preview: bool = True,
    photo: bool = True,
    automatic_deferred_start: bool | None = None,
) -> configuration_pb2.SessionConfiguration:
    """One camera with a preview and a photo output; what is not given keeps the daemon's documented default.

    `pixel_format` (a V4L2 four-character code) and `size` name an explicit format and must come together; without them
    the preset picks. Edit the result for anything finer.
    """
    if bool(pixel_format) != (size is not None):
        raise ValueError("pixel_format and size must come together")
    wanted = configuration_pb2.SessionConfiguration(
        inputs=[configuration_pb2.SessionInput(device=device)],
        preset=preset,
        automatically_runs_deferred_start=automatic_deferred_start,
    )
    if size is not None:
        wanted.inputs[0].format.CopyFrom(
            configuration_pb2.StreamFormat(pixel_format=pixel_format, width=size[0], height=size[1])
        )
    if frame_rate is not None:
        wanted.inputs[0].frame_rate_override.CopyFrom(types_pb2.Rational(numerator=frame_rate, denominator=1))
    if preview:
        wanted.preview.SetInParent()
    if photo:
        wanted.photo.SetInParent()
    return wanted
