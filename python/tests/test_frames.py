import io

import numpy as np
import pillow_heif
import pytest
from google.protobuf import timestamp_pb2
from PIL import Image

from firstlight import (
    Encoding,
    Frame,
    Photo,
    PhotoEncoding,
    PressureFactor,
    PressureLevel,
    Quality,
    Readiness,
    pixels,
)
from firstlight.v1 import (
    photo_pb2,
    photo_service_pb2,
    pressure_readings_pb2,
    preview_service_pb2,
    video_data_service_pb2,
)


def frame(encoding, data, planes=(), width=4, height=2):
    return Frame.from_message(
        preview_service_pb2.PreviewFrame(
            sequence=7,
            capture_time=timestamp_pb2.Timestamp(seconds=1_790_000_000, nanos=123_456_789),
            width=width,
            height=height,
            encoding=encoding,
            planes=[preview_service_pb2.Plane(offset=o, stride=s, rows=r) for o, s, r in planes],
            data=data,
        )
    )


def test_times_keep_every_nanosecond():
    assert frame(Encoding.JPEG, b"").capture_time_ns == 1_790_000_000_123_456_789


def test_nv12_is_a_view_with_luma_above_chroma():
    data = bytes(range(12))
    picture = frame(Encoding.NV12, data, [(0, 4, 2), (8, 4, 1)])
    array = picture.as_array()
    assert array.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert np.shares_memory(array, np.frombuffer(picture.data, np.uint8))
    assert picture.luma().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1


def test_p010_has_samples_of_sixteen_bits():
    size, lines = (4, 2), [0x0100, 0x0200, 0x0300, 0x0400]
    data = np.array([*lines, 0, 0, *lines, 0, 0, *lines], "<u2").tobytes()
    planes = (pixels.Plane(0, 12, 2), pixels.Plane(24, 8, 1))
    assert pixels.as_array(data, "P010", size, planes).tolist() == [lines] * 3
    assert pixels.luma(data, "P010", size, planes).tolist() == [lines] * 2
    assert pixels.packed_planes("P010", size) == ((0, 8, 2), (16, 8, 1))


def test_nv12_with_padded_lines_leaves_the_padding_out():
    picture = frame(Encoding.NV12, bytes(range(18)), [(0, 6, 2), (12, 6, 1)])
    assert picture.as_array().tolist() == [[0, 1, 2, 3], [6, 7, 8, 9], [12, 13, 14, 15]]


def test_nv12_with_planes_apart():
    picture = frame(Encoding.NV12, bytes(range(20)), [(0, 6, 2), (16, 4, 1)])
    assert picture.as_array().tolist() == [[0, 1, 2, 3], [6, 7, 8, 9], [16, 17, 18, 19]]


def test_the_last_line_may_end_before_its_stride():
    picture = frame(Encoding.NV12, bytes(range(16)), [(0, 6, 2), (12, 6, 1)])
    assert picture.as_array()[2].tolist() == [12, 13, 14, 15]


def test_yuyv_has_two_bytes_for_each_pixel():
    picture = frame(Encoding.YUYV, bytes(range(20)), [(0, 10, 2)])
    assert picture.as_array().shape == (2, 4, 2)
    assert picture.luma().tolist() == [[0, 2, 4, 6], [10, 12, 14, 16]]
    assert np.shares_memory(picture.luma(), np.frombuffer(picture.data, np.uint8))


def data_frame(pixel_format, data, planes, width=4, height=2):
    return Frame.from_message(
        video_data_service_pb2.VideoDataFrame(
            sequence=7,
            width=width,
            height=height,
            encoding=pixel_format,
            planes=[preview_service_pb2.Plane(offset=o, stride=s, rows=r) for o, s, r in planes],
            data=data,
        )
    )


def test_grey_is_one_byte_for_each_pixel():
    picture = data_frame("GREY", bytes(range(12)), [(0, 6, 2)])
    assert picture.pixel_format == "GREY"
    assert picture.as_array().tolist() == picture.luma().tolist() == [[0, 1, 2, 3], [6, 7, 8, 9]]
    assert np.shares_memory(picture.as_array(), np.frombuffer(picture.data, np.uint8))


@pytest.mark.parametrize(("pixel_format", "depth"), [("BGR4", 4), ("XR24", 4), ("BGR3", 3), ("RGB3", 3)])
def test_rgb_has_its_bytes_in_a_third_dimension_and_a_brightness(pixel_format, depth):
    pixel = [200, 100, 10, 0][:depth]
    picture = data_frame(pixel_format, bytes(pixel) * 8, [(0, 4 * depth, 2)])
    assert picture.as_array().shape == (2, 4, depth)
    assert picture.as_array()[1, 3].tolist() == pixel
    red, blue = (200, 10) if pixel_format == "RGB3" else (10, 200)
    assert picture.luma()[1, 3] == round(0.299 * red + 0.587 * 100 + 0.114 * blue)


def test_uyvy_has_its_brightness_second():
    assert data_frame("UYVY", bytes(range(16)), [(0, 8, 2)]).luma().tolist() == [[1, 3, 5, 7], [9, 11, 13, 15]]


def test_a_format_without_an_array_still_has_its_brightness_and_bytes():
    picture = data_frame("YU12", bytes(range(12)), [(0, 4, 2), (8, 2, 1), (10, 2, 1)])
    assert picture.luma().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    with pytest.raises(ValueError, match="YU12"):
        picture.as_array()


def test_jpeg_decodes_to_red_green_blue_and_to_brightness():
    file = io.BytesIO()
    Image.new("RGB", (4, 2), (200, 0, 0)).save(file, "JPEG", quality=95)
    picture = frame(Encoding.JPEG, file.getvalue())
    assert picture.as_array().shape == (2, 4, 3)
    assert picture.as_array()[0, 0] == pytest.approx((200, 0, 0), abs=5)
    assert picture.luma()[0, 0] == pytest.approx(60, abs=3)


@pytest.mark.parametrize(
    ("mirror", "original", "prefix"),
    [
        (Encoding, preview_service_pb2.PreviewEncoding, "PREVIEW_ENCODING_"),
        (Quality, photo_pb2.PhotoQualityPrioritization, "PHOTO_QUALITY_PRIORITIZATION_"),
        (Readiness, photo_service_pb2.CaptureReadiness, "CAPTURE_READINESS_"),
        (PressureFactor, pressure_readings_pb2.SystemPressureFactor, "SYSTEM_PRESSURE_FACTOR_"),
        (PressureLevel, pressure_readings_pb2.SystemPressureLevel, "SYSTEM_PRESSURE_LEVEL_"),
    ],
)
def test_enumerations_hold_what_the_contract_holds(mirror, original, prefix):
    contract = {name.removeprefix(prefix): number for name, number in original.items() if number}
    assert {value.name: value.value for value in mirror} == contract


@pytest.mark.parametrize(
    ("pixel_format", "planes"),
    [
        ("NV12", [(0, 6, 4), (24, 6, 2)]),
        ("YUYV", [(0, 12, 4)]),
        ("YU12", [(0, 6, 4), (24, 3, 2), (30, 3, 2)]),
        ("422P", [(0, 6, 4), (24, 3, 4), (36, 3, 4)]),
        ("GREY", [(0, 6, 4)]),
        ("RGB3", [(0, 18, 4)]),
    ],
)
def test_an_uncompressed_photo_has_no_padding(pixel_format, planes):
    assert list(pixels.packed_planes(pixel_format, (6, 4))) == planes


def test_planes_of_an_unknown_format_are_an_error():
    with pytest.raises(ValueError, match="H264"):
        pixels.packed_planes("H264", (6, 4))


@pytest.mark.parametrize("encoding", [PhotoEncoding.JPEG, PhotoEncoding.HEIC, PhotoEncoding.PNG])
def test_a_photo_is_decoded_as_it_is_encoded(encoding):
    pillow_heif.register_heif_opener()
    file = io.BytesIO()
    Image.new("RGB", (64, 64), (200, 100, 50)).save(file, {PhotoEncoding.HEIC: "HEIF"}.get(encoding, encoding.name))
    message = photo_pb2.Photo(encoding=encoding, width=64, height=64, quality_prioritization=Quality.SPEED)
    photo = Photo.from_message("id", message, file.getvalue(), ())
    assert photo.encoding is encoding
    assert photo.as_array().shape == (64, 64, 3)
    assert photo.as_array()[32, 32] == pytest.approx((200, 100, 50), abs=3)
    assert photo.luma()[32, 32] == pytest.approx(124, abs=3)


def test_an_uncompressed_photo_is_a_view():
    message = photo_pb2.Photo(
        encoding=PhotoEncoding.UNCOMPRESSED,
        pixel_format="NV12",
        width=4,
        height=2,
        quality_prioritization=Quality.SPEED,
    )
    photo = Photo.from_message("id", message, bytes(range(12)), ())
    assert photo.as_array().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert photo.luma().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_a_photos_lag_is_known_or_none():
    told = photo_pb2.Photo(encoding=PhotoEncoding.JPEG, width=64, height=64, quality_prioritization=Quality.SPEED)
    assert Photo.from_message("id", told, b"", ()).shutter_lag_ns is None
    told.shutter_lag.FromNanoseconds(-7)
    assert Photo.from_message("id", told, b"", ()).shutter_lag_ns == -7
    told.shutter_lag.FromNanoseconds(0)
    assert Photo.from_message("id", told, b"", ()).shutter_lag_ns == 0
