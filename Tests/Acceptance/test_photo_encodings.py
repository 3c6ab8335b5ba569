"""Photos in every encoding, read by third-party programs and libraries."""

import datetime
import io
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import threading

import numpy as np
import pytest
from PIL import Image

import firstlight
import firstlight.daemon
from bars import BARS, rgb
from firstlight import Encoding, connection
from firstlight.v1 import photo_pb2, photo_service_pb2 as photos_pb2
from processes import stat_fields, thread_files
from support import SYNTHETIC, call, capabilities, refused, take
from test_preview_pictures import SMALL

JPEG, HEIC, PNG, UNCOMPRESSED = Encoding.JPEG, Encoding.HEIC, Encoding.PNG, Encoding.UNCOMPRESSED
FILES = (JPEG, HEIC, PNG)
# The largest difference of a median over the inside of a bar, in code values. JPEG and HEIC round and filter. PNG and
# the camera's own pixels do not.
TOLERANCE = {JPEG: 3, HEIC: 4, PNG: 2, UNCOMPRESSED: 2}


@pytest.fixture
def bars(client, session):
    """Starts sessions with a camera that shows colour bars."""

    names = []

    def make(**keywords):
        name = session(start=True, **{**SMALL, **keywords})
        client.set_controls(SYNTHETIC[0], {"test_pattern": 2}, session=name)
        names.append(name)
        return name

    yield make
    for name in names:
        client.set_controls(SYNTHETIC[0], {"test_pattern": None}, session=name)


def newest(client, session, **keywords):
    """A photo of a frame that the camera captured after its controls were set."""
    with client.preview(session, max_size=(320, 180)) as preview:
        frame = take(preview, 4)[-1]
    return client.photo(session, of=frame, **keywords)


def written(photo, folder):
    """The path of a file with the photo's bytes."""
    file = folder / f"photo.{photo.encoding.name.lower()}"
    file.write_bytes(photo.data)
    return file


def run(*command):
    """The output of a program, which must succeed."""
    ran = subprocess.run([str(part) for part in command], capture_output=True, timeout=20, check=False)
    assert ran.returncode == 0, (command, ran.stdout, ran.stderr)
    return ran.stdout


def decoded(photo, folder):
    """The photo as an array of R, G and B, of the shape (height, width, 3)."""
    if photo.encoding is UNCOMPRESSED:
        return from_yuv(photo)
    file = written(photo, folder)
    if photo.encoding is JPEG:
        # The decoder does not smooth chroma, because the chroma of cameras is not smoothed either.
        picture = Image.open(io.BytesIO(run("djpeg", "-nosmooth", "-ppm", file)))
    elif photo.encoding is HEIC:
        run("heif-convert", file, folder / "decoded.png")
        picture = Image.open(folder / "decoded.png")
    else:
        run("pngcheck", "-q", file)
        picture = Image.open(file)
    return np.asarray(picture.convert("RGB")).astype(float)


def from_yuv(photo):
    """R, G and B of an uncompressed photo in limited-range BT.601, the colours of the synthetic camera."""
    data, size = np.frombuffer(photo.data, np.uint8), (photo.height, photo.width)
    if photo.pixel_format == "NV12":
        luma, chroma = np.split(data, [photo.width * photo.height])
        luma = luma.reshape(size)
        chroma = chroma.reshape(photo.height // 2, photo.width // 2, 2).repeat(2, axis=0).repeat(2, axis=1)
    else:
        assert photo.pixel_format == "YUYV"
        packed = data.reshape(photo.height, photo.width // 2, 4)
        luma = packed[:, :, (0, 2)].reshape(size)
        chroma = packed[:, :, (1, 3)].repeat(2, axis=1)
    y, cb, cr = luma.astype(float), chroma[:, :, 0].astype(float), chroma[:, :, 1].astype(float)
    return np.moveaxis(rgb(y, cb, cr), 0, -1)


def turned_back(picture, rotation, mirrored):
    """The picture that the camera saw. The daemon rotates photos clockwise, then mirrors them."""
    if mirrored:
        picture = picture[:, ::-1]
    return np.rot90(picture, rotation // 90)


def tags(file, *options):
    """The tags that exiftool reads, by group and name, with numbers as numbers."""
    return json.loads(run("exiftool", "-j", "-n", "-G1", *options, file))[0]


@pytest.mark.parametrize(
    ("pixel_format", "encoding", "rotation", "mirrored"),
    [
        # Each encoding of each format, and each turn of an encoded and of an uncompressed photo: a photo is turned
        # before it is encoded.
        ("NV12", JPEG, 0, False),
        ("NV12", HEIC, 90, False),
        ("NV12", PNG, 0, True),
        ("NV12", UNCOMPRESSED, 270, True),
        ("NV12", UNCOMPRESSED, 90, False),
        ("YUYV", JPEG, 270, True),
        ("YUYV", HEIC, 0, False),
        ("YUYV", PNG, 90, False),
        ("YUYV", UNCOMPRESSED, 0, True),
        ("YUYV", UNCOMPRESSED, 0, False),
    ],
)
def test_H10_colours_and_time_are_in_the_pixels_of_every_encoding(
    client, bars, tmp_path, pixel_format, encoding, rotation, mirrored
):
    turned = connection("photo", rotated=rotation, mirrored=mirrored)
    name = bars(pixel_format=pixel_format, connections=[turned, connection("preview")])
    photo = newest(client, name, encoding=encoding)
    assert photo.encoding is encoding
    assert (photo.width, photo.height) == ((360, 640) if rotation % 180 else (640, 360))
    picture = decoded(photo, tmp_path)
    assert picture.shape == (photo.height, photo.width, 3)
    seen = turned_back(picture, rotation, mirrored)
    for index, colour in enumerate(BARS):
        # At the end of a colour's range the camera's noise reaches in one direction only. This moves the mean and
        # leaves the median.
        inside = np.median(seen[180:350, index * 80 + 20 : index * 80 + 60], axis=(0, 1))
        assert inside == pytest.approx(rgb(*colour), abs=TOLERANCE[encoding]), f"bar {index}"
    luma = (seen @ (0.299, 0.587, 0.114)).round().astype(np.uint8)
    board = firstlight.timecode.decode(luma)
    assert board is not None
    assert (board.sequence, board.capture_time_ns) == (photo.sequence, photo.capture_time_ns)


@pytest.mark.parametrize("encoding", [JPEG, HEIC, PNG, UNCOMPRESSED])
def test_H10_the_python_client_decodes_every_encoding(client, session, encoding):
    photo = client.photo(session(start=True, **SMALL), encoding=encoding)
    board = firstlight.timecode.decode(photo.luma())
    assert board is not None
    assert board.sequence == photo.sequence
    assert photo.as_array().shape[1] == photo.width


@pytest.mark.parametrize(("encoding", "zone"), [(JPEG, "UTC"), (HEIC, "Asia/Kolkata"), (PNG, "America/St_Johns")])
def test_H10_exif_tells_when_to_the_microsecond_and_where_from(own_daemon, monkeypatch, tmp_path, encoding, zone):
    monkeypatch.setenv("TZ", zone)
    with firstlight.connect(own_daemon().address, timeout=8) as client:
        name = client.create_session().name
        client.configure(name, firstlight.configuration(SYNTHETIC[0], **SMALL))
        client.start(name)
        photo = newest(client, name, encoding=encoding)
    found = tags(written(photo, tmp_path))
    for which in ("Original", "Digitized"):
        date = found["ExifIFD:" + {"Original": "DateTimeOriginal", "Digitized": "CreateDate"}[which]]
        text = f"{date}.{found[f'ExifIFD:SubSecTime{which}']:0>6}{found[f'ExifIFD:OffsetTime{which}']}"
        instant = datetime.datetime.strptime(text, "%Y:%m:%d %H:%M:%S.%f%z")
        assert round(instant.timestamp() * 1e6) == photo.capture_time_ns // 1000
        offset = {"UTC": 0, "Asia/Kolkata": 330, "America/St_Johns": None}[zone]
        assert offset in (None, instant.utcoffset().total_seconds() / 60)
    assert found["IFD0:ModifyDate"] == found["ExifIFD:DateTimeOriginal"]
    assert found["IFD0:Model"] == "Synthetic camera 0"
    assert found["IFD0:Software"] == "Firstlight"
    assert found["IFD0:Orientation"] == 1
    assert found["ExifIFD:ColorSpace"] == 1
    assert (found["ExifIFD:ExifImageWidth"], found["ExifIFD:ExifImageHeight"]) == (640, 360)
    assert found["ExifIFD:Flash"] == 0, "the camera has one, and it did not fire"
    # A tag whose value the daemon does not know must be absent.
    unknown = {"Make", "ISO", "FNumber", "FocalLength", "LensModel"}
    assert not unknown & {key.split(":")[1] for key in found if key.startswith(("IFD0", "ExifIFD"))}


@pytest.mark.parametrize("encoding", FILES)
def test_H10_files_are_valid_and_tell_size_and_colours(client, session, tmp_path, encoding):
    photo = client.photo(session(start=True, **SMALL), encoding=encoding)
    file = written(photo, tmp_path)
    assert not [value for key, value in tags(file, "-validate", "-warning", "-a").items() if "Warning" in key]
    found = tags(file)
    if encoding is JPEG:
        assert (found["File:ImageWidth"], found["File:ImageHeight"]) == (640, 360)
        assert found["JFIF:JFIFVersion"] == "1 1"
        assert found["File:YCbCrSubSampling"] == "2 2"
    elif encoding is PNG:
        assert (found["PNG:ImageWidth"], found["PNG:ImageHeight"], found["PNG:BitDepth"]) == (640, 360, 8)
        assert found["PNG:SRGBRendering"] == 0
        assert found["PNG:Gamma"] == pytest.approx(2.2, abs=0.01)
    else:
        assert found["QuickTime:ImageSpatialExtent"] == "640 360"
        # ISO/IEC 14496-12, 12.1.5: primaries, transfer and matrix by the code points of ITU-T H.273, then the range.
        colours = photo.data.index(b"colrnclx") + 8
        assert struct.unpack_from(">HHHB", photo.data, colours) == (1, 13, 6, 0x80)
        assert b"640x360" in run("heif-info", file)


@pytest.mark.alone
def test_H9_exif_exposure_is_the_one_that_was_set(client, session, tmp_path):
    # Photos in all encodings are taken of one frame, one after the other.
    name = session(start=True, window=5, **SMALL, video_data=[firstlight.video_data_output("data")])
    settings = {"auto_exposure": 1, "exposure_time_absolute": 50, "gain": 300}
    client.set_controls(SYNTHETIC[0], settings, session=name)
    try:
        with client.video_data(name, "data") as frames:
            frame = next(frame for frame in frames if frame.exposure_ns == 5_000_000 and frame.gain == 300)
            for encoding in FILES:
                photo = client.photo(name, of=frame, encoding=encoding)
                assert photo.sequence == frame.sequence
                found = tags(written(photo, tmp_path))
                assert found["ExifIFD:ExposureTime"] == 0.005
                assert found["ExifIFD:UserComment"] == "gain=300"
    finally:
        client.set_controls(SYNTHETIC[0], {"reset_controls": None}, session=name)


@pytest.mark.parametrize("rotation", [0, 90])
def test_H10_thumbnails_are_embedded_on_request(client, stubs, session, tmp_path, unique_id, rotation):
    name = session(start=True, **SMALL, connections=[connection("photo", rotated=rotation), connection("preview")])
    size = (90, 160) if rotation else (160, 90)
    next(client.preview(name))
    photo = client.photo(name, thumbnail=(160, 160))
    thumbnail = run("exiftool", "-b", "-ThumbnailImage", written(photo, tmp_path))
    with Image.open(io.BytesIO(thumbnail)) as small, Image.open(io.BytesIO(photo.data)) as whole:
        assert small.size == size
        difference = np.abs(
            np.asarray(small.convert("L"), float) - whole.convert("L").resize(size, Image.Resampling.BOX)
        )
        assert difference.mean() < 4, "it shows the same"
    photo = client.photo(name, thumbnail=(160, 160), encoding=HEIC)
    # heif-info lists the thumbnails of a picture with their sizes.
    assert re.search(rf"thumbnail: {size[0]}x{size[1]}\b", run("heif-info", written(photo, tmp_path)).decode())
    assert "thumbnail" not in run("heif-info", written(client.photo(name, encoding=HEIC), tmp_path)).decode()
    settings = photo_pb2.PhotoSettings(unique_id=unique_id, encoding=HEIC)
    settings.embedded_thumbnail_dimensions.width = settings.embedded_thumbnail_dimensions.height = 160
    first = call(stubs.photos.CapturePhoto, photos_pb2.CapturePhotoRequest(session=name, settings=settings)).event
    resolved = first.will_begin_capture.resolved_settings
    assert resolved.encoding == HEIC
    told = resolved.embedded_thumbnail_dimensions
    assert (told.width, told.height) == size


def test_H10_quality_changes_the_size_of_heic(client, session):
    name = session(start=True, **SMALL)
    low, high = (client.photo(name, encoding=HEIC, heic_quality=quality) for quality in (10, 90))
    assert len(low.data) < len(high.data) / 2


def maps(daemon):
    """The files that a daemon has mapped, as the text of /proc/PID/maps."""
    return pathlib.Path(f"/proc/{daemon.process.pid}/maps").read_text()


def without(binary, library, folder):
    """The path of a script that starts `binary` where a shared library is replaced by /dev/null."""
    (file,) = {path.resolve() for path in pathlib.Path("/usr/lib").glob(f"*-linux-gnu/{library}")}
    unshare = "unshare --mount" if os.geteuid() == 0 else "unshare --mount --map-root-user"
    script = folder / "firstlightd-without"
    hide = f"mount --bind /dev/null {file}"
    script.write_text(f'#!/bin/sh\nexec {unshare} sh -c \'{hide} && exec {binary} "$@"\' firstlightd "$@"\n')
    script.chmod(0o755)
    return script


@pytest.mark.parametrize("library", ["libheif.so.1", "libx265.so.*"])
def test_H10_an_encoding_that_is_not_there_is_refused_with_those_that_are(binary, tmp_path, library):
    if shutil.which("unshare") is None or subprocess.run(["unshare", "--mount", "true"], check=False).returncode:
        pytest.skip("a library can only be hidden where mounts can be changed")
    program = without(binary, library, tmp_path)
    arguments = ("--synthetic", "1", "--data-dir", str(tmp_path / "data"))
    with (
        firstlight.daemon.Daemon(program, *arguments, log=tmp_path / "firstlightd.log") as daemon,
        firstlight.connect(daemon.address, timeout=8) as client,
    ):
        name = client.create_session().name
        client.configure(name, firstlight.configuration(SYNTHETIC[0], **SMALL))
        client.start(name)
        # The second time the daemon knows before it takes the frame that the encoding is unavailable.
        for _ in range(2):
            with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE") as refusal:
                client.photo(name, encoding=HEIC)
            assert refusal.error.metadata["encoding"] == "HEIC"
            assert refusal.error.metadata["available"] == "JPEG, PNG, UNCOMPRESSED"
        assert list(capabilities(client.session(name)).available_encodings) == [JPEG, PNG, UNCOMPRESSED]
        assert client.photo(name).data


def test_H10_nobody_pays_for_heic_who_does_not_ask_for_it(own_daemon):
    daemon = own_daemon()
    with firstlight.connect(daemon.address, timeout=8) as client:
        name = client.create_session().name
        client.configure(name, firstlight.configuration(SYNTHETIC[0], **SMALL))
        client.start(name)
        for encoding in (JPEG, PNG, UNCOMPRESSED):
            client.photo(name, encoding=encoding)
        assert "libheif" not in maps(daemon)
        assert "libx265" not in maps(daemon)
        client.photo(name, encoding=HEIC)
        assert "libheif" in maps(daemon)


def test_H10_heic_is_made_below_the_preview_on_two_threads(own_daemon):
    daemon = own_daemon()

    def makers():
        # A thread without a name of its own has the name of the thread that started it.
        stats = [stat for name, stat in thread_files(daemon.process.pid, "stat") if name.startswith("photo")]
        return [int(stat_fields(stat)[16]) for stat in stats]

    with firstlight.connect(daemon.address, timeout=8) as client:
        name = client.create_session().name
        client.configure(name, firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(1920, 1080)))
        client.start(name)
        client.photo(name)
        assert makers() == [10]
        thread = threading.Thread(target=client.photo, args=(name,), kwargs={"encoding": HEIC})
        thread.start()
        seen = []
        while thread.is_alive():
            seen.append(makers())
        thread.join()
    assert max(map(len, seen)) == 2, "x265 works on a thread of its own"
    assert {niceness for each in seen for niceness in each} == {10}
