"""The Python client of Firstlight, a camera daemon.

    import firstlight

    with firstlight.connect() as client:
        wanted = firstlight.configuration("devices/synthetic-0")
        session = client.create_session(idle_timeout=10, configuration=wanted, start=True).name
        for frame in client.preview(session, max_size=(640, 360)):
            photo = client.photo(session, of=frame)  # shows the instant of this very frame
            break

RPCs that the client does not wrap can be called with the generated stubs in `firstlight.v1` and `Client.channel`.
"""

from firstlight import overlays, timecode
from firstlight.cadence import Cadence
from firstlight.channel import CHANNEL_OPTIONS
from firstlight.client import Client, connect
from firstlight.compositions import LayerSource, composition_input, layer
from firstlight.configuration import (
    camera_input,
    configuration,
    connection,
    microphone,
    movie_output,
    video_data_output,
)
from firstlight.delayed_calls import Chunk, ChunkStream, DelayedFrameStream
from firstlight.enums import AudioCodec, ColorRange, Encoding, MovieCodec, MovieContainer
from firstlight.errors import FieldViolation, FirstlightError
from firstlight.frames import Frame, Gravity
from firstlight.pairing import FramePairs
from firstlight.photo_calls import CaptureList
from firstlight.photos import CaptureEvent, Exposure, FlashMode, FrameMatch, Phases, Photo, Quality, Readiness
from firstlight.pressure import AdaptationPolicy, PressureFactor, PressureLevel
from firstlight.processing import ProcessingStream
from firstlight.shared import SharedFrame, SharedVideoDataStream
from firstlight.streams import PressureStream, PreviewStream, ReadinessStream, Stream, VideoDataStream
from firstlight.writer_calls import audio_input, writer_configuration
from firstlight.writing import AssetWriter

__all__ = [
    "CHANNEL_OPTIONS",
    "AdaptationPolicy",
    "AssetWriter",
    "AudioCodec",
    "Cadence",
    "CaptureEvent",
    "CaptureList",
    "Chunk",
    "ChunkStream",
    "Client",
    "ColorRange",
    "DelayedFrameStream",
    "Encoding",
    "Exposure",
    "FieldViolation",
    "FirstlightError",
    "FlashMode",
    "Frame",
    "FrameMatch",
    "FramePairs",
    "Gravity",
    "LayerSource",
    "MovieCodec",
    "MovieContainer",
    "Phases",
    "Photo",
    "PressureFactor",
    "PressureLevel",
    "PressureStream",
    "PreviewStream",
    "ProcessingStream",
    "Quality",
    "Readiness",
    "ReadinessStream",
    "SharedFrame",
    "SharedVideoDataStream",
    "Stream",
    "VideoDataStream",
    "audio_input",
    "camera_input",
    "composition_input",
    "configuration",
    "connect",
    "connection",
    "layer",
    "microphone",
    "movie_output",
    "overlays",
    "timecode",
    "video_data_output",
    "writer_configuration",
]
