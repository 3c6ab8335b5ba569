"""Functions that make the configuration of a session."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from firstlight import values
from firstlight.enums import AudioCodec, ColorRange, MovieCodec
from firstlight.photos import Quality
from firstlight.pressure import AdaptationPolicy
from firstlight.v1 import session_configuration_pb2 as configuration_pb2


def configuration(
    device: str = "",
    *,
    inputs: Iterable[configuration_pb2.SessionInput] = (),
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
    constituent_photos: bool | None = None,
    additional_previews: Iterable[str] = (),
    video_data: Iterable[configuration_pb2.VideoDataOutput] = (),
    movie: configuration_pb2.MovieOutput | None = None,
    additional_movies: Iterable[configuration_pb2.MovieOutput] = (),
    microphones: Iterable[configuration_pb2.SessionInput] = (),
    connections: Iterable[configuration_pb2.SessionConnection] = (),
    automatic_deferred_start: bool | None = None,
    adaptation: AdaptationPolicy | None = None,
) -> configuration_pb2.SessionConfiguration:
    """Makes a configuration of one or several cameras with a preview and a photo output.

    An argument that is None or empty leaves its field unset, so that the documented default of the daemon applies. For
    settings without an argument, edit the returned message.

    - `device`: the resource name of the only camera, `devices/{id}`.
    - `inputs`: the inputs of several cameras, which `camera_input` made, in place of `device`, and after them those of
      compositions, which `composition_input` made. `connections` says which output has which of them; without any,
      every output has the first one.
    - `preset`: how the daemon picks the format.
    - `pixel_format` (a V4L2 four-character code) and `size` (width, height in pixels): an explicit format in place of
      the preset's. Give both or neither.
    - `frame_rate`: frames per second. A float becomes the nearest fraction.
    - `preview`, `photo`: whether there is a main preview and a photo output.
    - `zero_shutter_lag`, `responsive_capture`, `fast_capture_prioritization`, `max_quality`, `constituent_photos`: the
      features of the photo output; with the last one `connections` join several cameras to it. Without effect when
      `photo` is False.
    - `additional_previews`: the ids of further previews.
    - `video_data`: outputs that `video_data_output` made.
    - `movie`: the main output for recordings, which `movie_output` made; None for none.
    - `additional_movies`: further outputs for recordings, which `movie_output` made with an id.
    - `microphones`: the inputs that `microphone` made, at most 4. Movies and live streams have a track of each.
    - `connections`: connections that `connection` made. With any connection, an output without one gets no frames.
    - `automatic_deferred_start`: whether deferred outputs start by themselves.
    - `adaptation`: who takes load off the machine under pressure.

    Raises TypeError or ValueError, which names the argument, for a value that does not fit into the message, and
    ValueError for a `pixel_format` without a `size` or the other way round, and for arguments about the only camera
    beside `inputs`.
    """
    cameras = list(inputs)
    if bool(device) == bool(cameras):
        raise ValueError("give either a device or inputs")
    if cameras and (pixel_format or size is not None or frame_rate is not None):
        raise ValueError("each of inputs has a pixel_format, size and frame_rate of its own")
    if device:
        cameras = [camera_input(device, pixel_format=pixel_format, size=size, frame_rate=frame_rate)]
    wanted = configuration_pb2.SessionConfiguration(
        inputs=[*cameras, *microphones],
        preset=preset,
        automatically_runs_deferred_start=automatic_deferred_start,
        adaptation_policy=adaptation,
        connections=connections,
        additional_previews=[
            configuration_pb2.PreviewOutput(id=id) for id in values.texts("additional_previews", additional_previews)
        ],
        video_data=video_data,
        movie=movie,
        additional_movies=additional_movies,
    )
    if preview:
        wanted.preview.SetInParent()
    if photo:
        wanted.photo.CopyFrom(
            configuration_pb2.PhotoOutput(
                zero_shutter_lag_enabled=zero_shutter_lag,
                responsive_capture_enabled=responsive_capture,
                fast_capture_prioritization_enabled=fast_capture_prioritization,
                max_quality_prioritization=max_quality,
                constituent_photo_delivery_enabled=constituent_photos,
            )
        )
    return wanted


def camera_input(
    device: str,
    *,
    id: str = "",
    pixel_format: str = "",
    size: tuple[int, int] | None = None,
    frame_rate: float | Fraction | None = None,
    deferred_start: bool | None = None,
) -> configuration_pb2.SessionInput:
    """Makes the input of a camera, for `inputs` of `configuration`.

    - `device`: the resource name of the camera, `devices/{id}`.
    - `id`: the id of the input, which connections and frames name. The default is `camera` for the first camera, and
      `camera-2`, `camera-3` and so on for the others.
    - `pixel_format` (a V4L2 four-character code) and `size` (width, height in pixels): the format of the camera. Give
      both or neither; without them the daemon chooses.
    - `frame_rate`: frames per second. A float becomes the nearest fraction.
    - `deferred_start`: whether the camera opens with deferred start, and not at the start.
    """
    if bool(pixel_format) != (size is not None):
        raise ValueError("pixel_format and size must come together")
    made = configuration_pb2.SessionInput(
        id=values.text("id", id), device=values.text("device", device), deferred_start_enabled=deferred_start
    )
    if size is not None:
        wide = values.size("size", size)
        made.format.CopyFrom(
            configuration_pb2.StreamFormat(
                pixel_format=values.text("pixel_format", pixel_format), width=wide.width, height=wide.height
            )
        )
    if frame_rate is not None:
        made.frame_rate_override.CopyFrom(values.rate("frame_rate", frame_rate))
    return made


def video_data_output(
    id: str,
    *,
    pixel_format: str = "",
    color_range: ColorRange | None = None,
    queue_depth: int | None = None,
) -> configuration_pb2.VideoDataOutput:
    """Makes an output that gives programs every frame.

    `pixel_format` (a V4L2 four-character code) and `color_range` say to what frames are converted; without them frames
    stay as the camera gave them. Without `queue_depth` a newer frame replaces the one that waits for a slow reader.
    With `queue_depth` (1 to 64) up to this number of frames wait for each reader, and the daemon drops the frames for
    which there is no place.
    """
    return configuration_pb2.VideoDataOutput(
        id=values.text("id", id),
        pixel_format=values.text("pixel_format", pixel_format),
        color_range=color_range,
        always_discards_late_video_frames=None if queue_depth is None else False,
        max_queue_depth=values.whole_or_none("queue_depth", queue_depth),
    )


def movie_output(
    *,
    id: str = "",
    codec: MovieCodec | None = None,
    quality: int | None = None,
    bit_rate: int | None = None,
    max_pre_roll: float | None = None,
    audio_codec: AudioCodec | None = None,
    audio_bit_rate: int | None = None,
    uses_pro_video_storage: bool = False,
) -> configuration_pb2.MovieOutput:
    """Makes an output that records movies.

    `id` names the output. The default is `movie` for the main one; each of `additional_movies` needs an id.

    `codec` says how pictures are coded; None for H.264. They have the quality `quality` (1 to 100; None for 80), or
    `bit_rate` bits per second on average.

    `max_pre_roll` says how many seconds before its request a recording may begin, up to 60. The output then encodes all
    frames while the session runs; None keeps nothing.

    `audio_codec` says how the sound of microphones is coded; None for AAC. Each track has `audio_bit_rate` bits per
    second; None for a usual rate.

    With `uses_pro_video_storage` movies are written to the video storage of the daemon, where writes do not stall, and
    move to their files when they are finished.
    """
    return configuration_pb2.MovieOutput(
        id=values.text("id", id),
        codec=codec,
        quality=values.whole_or_none("quality", quality),
        average_bit_rate=None if bit_rate is None else values.whole("bit_rate", bit_rate, values.UNSIGNED_64),
        max_pre_roll_duration=None if max_pre_roll is None else values.duration("max_pre_roll", max_pre_roll),
        audio_codec=audio_codec,
        audio_average_bit_rate=(
            None if audio_bit_rate is None else values.whole("audio_bit_rate", audio_bit_rate, values.UNSIGNED_64)
        ),
        uses_pro_video_storage=uses_pro_video_storage,
    )


def microphone(device: str, *, id: str = "", sample_rate: int = 0, channels: int = 0) -> configuration_pb2.SessionInput:
    """Makes the input of a microphone, for `microphones` of `configuration`.

    - `device`: the resource name of the microphone, `devices/{id}`.
    - `id`: the id of the input. The default is `microphone`, so that a second one needs an id.
    - `sample_rate`: samples per second in Hz; 0 for 48,000 or what the microphone has nearest above.
    - `channels`: the number of channels; 0 for two, or one where the microphone has no two.
    """
    made = configuration_pb2.SessionInput(id=values.text("id", id), device=values.text("device", device))
    if sample_rate or channels:
        made.audio_format.CopyFrom(
            configuration_pb2.AudioFormat(
                sample_rate=values.whole("sample_rate", sample_rate, values.UNSIGNED_32),
                channel_count=values.whole("channels", channels, values.UNSIGNED_32),
            )
        )
    return made


def connection(
    output: str,
    *,
    input: str = "camera",
    enabled: bool | None = None,
    rotated: int | None = None,
    mirrored: bool | None = None,
) -> configuration_pb2.SessionConnection:
    """Makes the connection from the input `input` to the output `output`.

    Frames are rotated clockwise by `rotated` degrees (0, 90, 180 or 270), then mirrored. With None they are rotated by
    the camera's mounting rotation, which the operator set, or not at all where the output cannot rotate frames. Without
    `mirrored` they are not mirrored. Sound can be neither rotated nor mirrored, so leave both out for a microphone.
    With `enabled=False` the output keeps its readers and gets no frames; None is the same as True.
    """
    return configuration_pb2.SessionConnection(
        input=values.text("input", input),
        output=values.text("output", output),
        enabled=enabled,
        video_rotation_angle=values.whole_or_none("rotated", rotated),
        video_mirrored=mirrored,
    )
