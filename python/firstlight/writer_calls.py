"""The calls of the client that make writers of movies."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import grpc

from firstlight import values
from firstlight.calls import Calls
from firstlight.enums import AudioCodec, ColorRange, MovieCodec, MovieContainer
from firstlight.v1 import asset_writer_pb2 as writer_pb2, asset_writer_service_pb2_grpc as writer_grpc
from firstlight.writing import AssetWriter


class WriterCalls(Calls):
    """The methods of `Client` that write movies of what the program has."""

    def __init__(self, channel: grpc.Channel, *, timeout: float) -> None:
        super().__init__(channel, timeout=timeout)
        self._writers = writer_grpc.AssetWriterServiceStub(channel)

    def asset_writer(
        self, size: tuple[int, int], file: str = "", *, timeout: float | None = None, **settings: object
    ) -> AssetWriter:
        """Makes a writer of a movie with pictures of `size` (width, height). `start` or a `with` block starts it.

        - `file`: the path of the file below the daemon's folder of recordings. The daemon chooses one when it is empty.
        - `timeout`: how many seconds a call of the writer may take, such as the completion of its file; None for the
          timeout of the client.
        - `settings`: the other arguments of `firstlight.writer_configuration`.
        """
        configuration = writer_configuration(size, file, **settings)  # type: ignore[arg-type]
        limit = self._timeout if timeout is None else values.number("timeout", timeout)
        return AssetWriter(self._writers, configuration, timeout=limit)


def writer_configuration(
    size: tuple[int, int],
    file: str = "",
    *,
    container: MovieContainer | None = None,
    codec: MovieCodec | None = None,
    frame_rate: float | Fraction | None = None,
    quality: int | None = None,
    average_bit_rate: int | None = None,
    pixel_format: str = "",
    color_range: ColorRange | None = None,
    audio: Iterable[writer_pb2.WriterAudioInput] = (),
    audio_codec: AudioCodec | None = None,
    real_time: bool = False,
    optimize_for_network_use: bool = False,
    fragment_seconds: float | None = None,
    idle_timeout: float | None = None,
    uses_pro_video_storage: bool = False,
) -> writer_pb2.WriterConfiguration:
    """The configuration of a writer, for `Client.asset_writer` and `AssetWriter.configure`.

    - `container`, `codec`: the format of the file, and how pictures are coded; None for MP4 and H.264.
    - `frame_rate`: the nominal rate, for which the last picture is shown; None for 30. The times of pictures count.
    - `quality`, `average_bit_rate`: 1 to 100, or bits per second; None for the quality 80.
    - `pixel_format`: the V4L2 four-character code of pictures that are appended; empty for NV12. `JPEG` takes JPEG
      files, and `H264` pictures that are coded already.
    - `color_range`: the range of uncompressed pictures; None for LIMITED.
    - `audio`: the tracks of sound, made by `firstlight.audio_input`.
    - `audio_codec`: how sound is coded; None for AAC.
    - `real_time`: whether samples that the daemon cannot take at once are refused; otherwise `append` waits.
    - `optimize_for_network_use`: whether the finished file has its index in front.
    - `fragment_seconds`: after how much of the movie samples are acknowledged, because they are on the storage; None
      for 2.
    - `idle_timeout`: after how many seconds without a call a writer ends by itself; None for 30.
    - `uses_pro_video_storage`: whether the movie is written to the daemon's video storage, where writes do not stall,
      and moves to its file when it is finished. See `Client.video_storage`.
    """
    configuration = writer_pb2.WriterConfiguration(
        file=values.text("file", file),
        container=container,
        audio_inputs=audio,
        audio_codec=audio_codec,
        expects_media_data_in_real_time=real_time,
        should_optimize_for_network_use=optimize_for_network_use,
        uses_pro_video_storage=uses_pro_video_storage,
        video_input=writer_pb2.WriterVideoInput(
            codec=codec,
            size=values.size("size", size),
            quality=values.whole_or_none("quality", quality),
            average_bit_rate=values.whole_or_none("average_bit_rate", average_bit_rate, values.UNSIGNED_64),
            pixel_format=values.text("pixel_format", pixel_format),
            color_range=color_range,
        ),
    )
    if frame_rate is not None:
        configuration.video_input.frame_rate.CopyFrom(values.rate("frame_rate", frame_rate))
    if fragment_seconds is not None:
        configuration.fragment_interval.CopyFrom(values.duration("fragment_seconds", fragment_seconds))
    if idle_timeout is not None:
        configuration.idle_timeout.CopyFrom(values.duration("idle_timeout", idle_timeout))
    return configuration


def audio_input(input: str = "audio", *, sample_rate: int = 0, channels: int = 0) -> writer_pb2.WriterAudioInput:
    """A track of sound of a writer. For `AssetWriter.attach`, `input` is the id of the session's microphone.

    - `sample_rate`: samples per second in Hz; 0 for 48,000.
    - `channels`: the number of channels; 0 for two.
    """
    made = writer_pb2.WriterAudioInput(input=values.text("input", input))
    if sample_rate or channels:
        made.audio_format.sample_rate = values.whole("sample_rate", sample_rate)
        made.audio_format.channel_count = values.whole("channels", channels)
    return made
