import io

import numpy as np
import pillow_heif
import pytest
from google.protobuf import duration_pb2, timestamp_pb2
from PIL import Image

from firstlight import ColorRange, Encoding, Frame, FrameMatch, Photo, Quality, pixels
from firstlight.v1 import photo_pb2, preview_service_pb2, types_pb2, video_data_service_pb2


def frame(encoding, data, planes=(), width=4, height=2, pixel_format=""):
    return Frame.from_message(
        preview_service_pb2.PreviewFrame(
            sequence=7,
            capture_time=timestamp_pb2.Timestamp(seconds=1_790_000_000, nanos=123_456_789),
            width=width,
            height=height,
            encoding=encoding,
            pixel_format=pixel_format,
            planes=[types_pb2.Plane(offset=o, stride=s, rows=r) for o, s, r in planes],
            data=data,
        )
    )


def raw_frame(pixel_format, data, planes):
    return frame(Encoding.UNCOMPRESSED, data, planes, pixel_format=pixel_format)


def test_times_keep_every_nanosecond():
    assert frame(Encoding.JPEG, b"").capture_time_ns == 1_790_000_000_123_456_789


def test_nv12_is_a_view_with_luma_above_chroma():
    data = bytes(range(12))
    picture = raw_frame("NV12", data, [(0, 4, 2), (8, 4, 1)])
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


@pytest.mark.parametrize(("pixel_format", "dtype"), [("Y10", "<u2"), ("Y12", "<u2"), ("Y16", "<u2"), ("Y16-BE", ">u2")])
def test_wide_grey_is_one_value_for_each_pixel(pixel_format, dtype):
    lines = np.array([[7000, 7001, 65535, 0], [1, 2, 3, 256]], dtype)
    padded = np.zeros((2, 6), dtype)
    padded[:, :4] = lines
    picture = raw_frame(pixel_format, padded.tobytes(), [(0, 12, 2)])
    for array in picture.as_array(), picture.luma():
        assert (array == lines).all()
        assert array.dtype == np.dtype(dtype)
        assert np.shares_memory(array, np.frombuffer(picture.data, np.uint8))
    assert pixels.packed_planes(pixel_format, (4, 2)) == ((0, 8, 2),)
    # The last line may end before its stride.
    assert (raw_frame(pixel_format, padded.tobytes()[:-4], [(0, 12, 2)]).as_array() == lines).all()


def test_nv12_with_padded_lines_leaves_the_padding_out():
    picture = raw_frame("NV12", bytes(range(18)), [(0, 6, 2), (12, 6, 1)])
    assert picture.as_array().tolist() == [[0, 1, 2, 3], [6, 7, 8, 9], [12, 13, 14, 15]]


def test_nv12_with_planes_apart():
    picture = raw_frame("NV12", bytes(range(20)), [(0, 6, 2), (16, 4, 1)])
    assert picture.as_array().tolist() == [[0, 1, 2, 3], [6, 7, 8, 9], [16, 17, 18, 19]]


def test_the_last_line_may_end_before_its_stride():
    picture = raw_frame("NV12", bytes(range(16)), [(0, 6, 2), (12, 6, 1)])
    assert picture.as_array()[2].tolist() == [12, 13, 14, 15]


def test_yuyv_has_two_bytes_for_each_pixel():
    picture = raw_frame("YUYV", bytes(range(20)), [(0, 10, 2)])
    assert picture.as_array().shape == (2, 4, 2)
    assert picture.luma().tolist() == [[0, 2, 4, 6], [10, 12, 14, 16]]
    assert np.shares_memory(picture.luma(), np.frombuffer(picture.data, np.uint8))


def data_frame(pixel_format, data, planes=(), width=4, height=2, encoding=Encoding.UNCOMPRESSED, **more):
    return Frame.from_message(
        video_data_service_pb2.VideoDataFrame(
            sequence=7,
            width=width,
            height=height,
            encoding=encoding,
            pixel_format=pixel_format,
            planes=[types_pb2.Plane(offset=o, stride=s, rows=r) for o, s, r in planes],
            data=data,
            **more,
        )
    )


@pytest.mark.parametrize(
    ("told", "encoding", "pixel_format"),
    [
        (frame(Encoding.JPEG, b""), Encoding.JPEG, "JPEG"),
        (frame(Encoding.H264, b""), Encoding.H264, "H264"),
        (raw_frame("NV12", b"", []), Encoding.UNCOMPRESSED, "NV12"),
        (data_frame("AR24", b""), Encoding.UNCOMPRESSED, "AR24"),
        (data_frame("MJPG", b"", encoding=Encoding.JPEG), Encoding.JPEG, "MJPG"),
        (data_frame("H264", b"", encoding=Encoding.H264), Encoding.H264, "H264"),
        (data_frame("HEVC", b"", encoding=0), Encoding.UNSPECIFIED, "HEVC"),
        (data_frame("HEVC", b"", encoding=99), 99, "HEVC"),
        (frame(99, b""), 99, "UNKNOWN_99"),
    ],
)
def test_a_frame_says_how_it_is_encoded_and_in_which_format(told, encoding, pixel_format):
    assert (told.encoding, told.pixel_format) == (encoding, pixel_format)


@pytest.mark.parametrize(
    "told",
    [frame(99, b"x"), frame(0, b"x"), frame(Encoding.H264, b"x"), data_frame("HEVC", b"x", encoding=99)],
    ids=lambda told: told.pixel_format,
)
def test_what_has_no_array_is_an_error_that_names_it(told):
    with pytest.raises(ValueError, match=told.pixel_format):
        told.as_array()
    with pytest.raises(ValueError, match=told.pixel_format):
        told.luma()


@pytest.mark.parametrize("pixel_format", ["NV12", "YUYV", "GREY", "P010", "Y16"])
def test_a_raw_frame_without_its_planes_is_an_error_that_names_the_format(pixel_format):
    with pytest.raises(ValueError, match=f"{pixel_format} has [12] planes"):
        data_frame(pixel_format, bytes(12)).as_array()
    with pytest.raises(ValueError, match=f"{pixel_format} has [12] planes"):
        data_frame(pixel_format, bytes(12)).luma()


def test_video_data_tells_its_exposure_in_nanoseconds_and_its_range():
    told = data_frame(
        "GREY",
        b"",
        exposure_duration=duration_pb2.Duration(seconds=1, nanos=234_567_891),
        color_range=types_pb2.COLOR_RANGE_FULL,
    )
    assert (told.exposure_ns, told.color_range) == (1_234_567_891, ColorRange.FULL)
    assert data_frame("NV12", b"", color_range=types_pb2.COLOR_RANGE_LIMITED).color_range is ColorRange.LIMITED
    assert data_frame("NV12", b"").exposure_ns is None
    assert data_frame("NV12", b"").color_range is ColorRange.UNSPECIFIED
    assert data_frame("NV12", b"", color_range=9).color_range == 9
    preview = raw_frame("NV12", b"", [])
    assert (preview.exposure_ns, preview.color_range) == (None, ColorRange.UNSPECIFIED)


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


@pytest.mark.parametrize("encoding", [Encoding.JPEG, Encoding.HEIC, Encoding.PNG])
def test_a_photo_is_decoded_as_it_is_encoded(encoding):
    pillow_heif.register_heif_opener()
    file = io.BytesIO()
    Image.new("RGB", (64, 64), (200, 100, 50)).save(file, {Encoding.HEIC: "HEIF"}.get(encoding, encoding.name))
    message = photo_pb2.Photo(encoding=encoding, width=64, height=64, quality_prioritization=Quality.SPEED)
    photo = Photo.from_message("id", message, file.getvalue(), ())
    assert photo.encoding is encoding
    assert photo.as_array().shape == (64, 64, 3)
    assert photo.as_array()[32, 32] == pytest.approx((200, 100, 50), abs=3)
    assert photo.luma()[32, 32] == pytest.approx(124, abs=3)


def test_an_uncompressed_photo_is_a_view():
    message = photo_pb2.Photo(
        encoding=Encoding.UNCOMPRESSED,
        pixel_format="NV12",
        width=4,
        height=2,
        quality_prioritization=Quality.SPEED,
    )
    photo = Photo.from_message("id", message, bytes(range(12)), ())
    assert photo.as_array().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert photo.luma().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]


@pytest.mark.parametrize("is_key_frame", [False, True])
def test_a_video_data_frame_says_whether_it_can_be_decoded_alone(is_key_frame):
    message = video_data_service_pb2.VideoDataFrame(encoding=Encoding.H264, pixel_format="H264", key_frame=is_key_frame)
    assert Frame.from_message(message).key_frame is is_key_frame


def test_a_photo_says_whether_it_is_the_frame_asked_for_and_its_range():
    told = photo_pb2.Photo(frame_match=photo_pb2.FRAME_MATCH_NEAREST, color_range=types_pb2.COLOR_RANGE_FULL)
    photo = Photo.from_message("id", told, b"", ())
    assert (photo.frame_match, photo.color_range) == (FrameMatch.NEAREST, ColorRange.FULL)
    told = photo_pb2.Photo(frame_match=photo_pb2.FRAME_MATCH_EXACT)
    photo = Photo.from_message("id", told, b"", ())
    assert (photo.frame_match, photo.color_range) == (FrameMatch.EXACT, ColorRange.UNSPECIFIED)


def test_a_photo_of_a_newer_daemon_keeps_the_numbers_and_has_no_array():
    told = photo_pb2.Photo(encoding=99, quality_prioritization=98, frame_match=97, color_range=96, width=4, height=2)
    photo = Photo.from_message("id", told, b"x", ())
    assert (photo.encoding, photo.quality, photo.frame_match, photo.color_range) == (99, 98, 97, 96)
    with pytest.raises(ValueError, match="UNKNOWN_99"):
        photo.as_array()
    with pytest.raises(ValueError, match="UNKNOWN_99"):
        photo.luma()


def test_a_photos_lag_is_known_or_none():
    told = photo_pb2.Photo(encoding=Encoding.JPEG, width=64, height=64, quality_prioritization=Quality.SPEED)
    assert Photo.from_message("id", told, b"", ()).shutter_lag_ns is None
    told.shutter_lag.FromNanoseconds(-7)
    assert Photo.from_message("id", told, b"", ()).shutter_lag_ns == -7
    told.shutter_lag.FromNanoseconds(0)
    assert Photo.from_message("id", told, b"", ()).shutter_lag_ns == 0
