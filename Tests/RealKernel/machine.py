"""The machine on which the tests run, and its cameras: those of vivid in the guest of scripts/vm/run, and preloaded
ones on any other machine.

A preloaded camera (see Tests/TestKits/PreloadedCameras) belongs to the processes that load it. It shows the colour bars
and draws the number of each frame as vivid does, so that a test reads its pictures in the same way. It has neither
controls nor planes nor faults, and it cannot be unplugged.
"""

import atexit
import contextlib
import fcntl
import functools
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from client import PATIENCE
from picture import GLYPHS
from preloaded_cameras import PreloadedCameras
from preloaded_pictures import SIZE, bars_in_formats, numbered_jpeg
from processes import descriptors

REPOSITORY = Path(__file__).resolve().parents[2]
#: The daemon under test.
BINARY = Path(os.environ.get("FIRSTLIGHTD", REPOSITORY / ".build/release/firstlightd"))
#: The driver of the guest's cameras.
DRIVER = Path("/sys/bus/platform/drivers/vivid")
IS_GUEST = DRIVER.exists()

_folder = tempfile.TemporaryDirectory(prefix="firstlight-")
atexit.register(_folder.cleanup)
#: A folder of this process of the tests, of which several run at once outside of the guest.
FOLDER = Path(_folder.name)

#: The modes of preloaded cameras. The rate that a camera has until a program sets another one is the first, as slow as
#: vivid's.
_RATES = (5, 10, 15, 30)
_SIZES = (SIZE, (320, 180), (1280, 720))
#: The parts of a period by which the frames of the two cameras come after its beginning. They are less than half a
#: period apart, so that the frames of one period belong together.
_PLACES = (0, 0.3)


def address(port: int) -> str:
    """Where a daemon listens: at this port in the guest, which has no other daemon, and else below FOLDER."""
    return f"127.0.0.1:{port}" if IS_GUEST else f"unix:{FOLDER}/{port}"


@functools.cache
def _preloaded() -> PreloadedCameras:
    """The preloaded cameras of this process of the tests. They are made when a test first needs them."""
    folder = FOLDER / "cameras"
    folder.mkdir()
    cameras = PreloadedCameras(folder, *_PLACES)
    for size in _SIZES:
        for pixel_format, picture in bars_in_formats(size).items():
            for rate in _RATES:
                cameras.add_mode(pixel_format, size, rate, [picture])
    for rate in _RATES:
        cameras.add_mode("MJPG", SIZE, rate, [numbered_jpeg(0)])
    cameras.draw_numbers(GLYPHS)
    return cameras


#: What a core does in a second, as `measured` tells it.
CORE = {"copiedBytes": 1e10, "convertedPixels": 1e9, "encodedPixels": 1e8}


def measured(data: Path) -> list[str]:
    """Lets daemons with this data folder know from a former run what the machine can do. Returns the flags for it.

    Such a daemon does not measure the machine. Others measure it when it rests, and use their codecs for that.
    """
    version = subprocess.run([BINARY, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    # In a folder without files for /proc the processor has no name.
    known = {"key": f"{version} unknown {len(os.sched_getaffinity(0))}", "core": CORE}
    (data / "machine.json").write_text(json.dumps(known))
    return ["--procfs-root", str(data / "proc")]


def environment() -> dict[str, str]:
    """The environment of a daemon, which shows it the cameras."""
    return dict(os.environ) if IS_GUEST else os.environ | _preloaded().environment


def node(number: int) -> str:
    """The node of a camera, as the daemon names it."""
    return f"/dev/video{number}" if IS_GUEST else _preloaded().nodes[number]


def nodes_open(process: subprocess.Popen) -> list[str]:
    """The camera nodes that a daemon holds open."""
    names = []
    for link in descriptors(process.pid).values():
        names += re.findall(r"/(video\d+)$", link)
    return [f"/dev/{name}" for name in sorted(names, key=lambda name: int(name.removeprefix("video")))]


@contextlib.contextmanager
def other_program(number: int) -> Iterator[Callable[[], None]]:
    """Lets another program have a camera until the block ends, or until the block calls the function that it gets."""
    with contextlib.ExitStack() as stack:
        if IS_GUEST:
            command = ["v4l2-ctl", "-d", node(number), "--stream-mmap"]
            holder = stack.enter_context(subprocess.Popen(command, stderr=subprocess.PIPE))
            stack.callback(holder.terminate)
            assert holder.stderr.read(1) == b"<", "the other program got no frame"
        else:
            assert _locked(stack, number), "the daemon has the camera"
        yield stack.close


def other_program_gets_a_frame(number: int) -> bool:
    """Whether another program can stream from a camera now."""
    if not IS_GUEST:
        with contextlib.ExitStack() as stack:
            return _locked(stack, number)
    command = ["v4l2-ctl", "-d", node(number), "--stream-mmap", "--stream-count=1"]
    # v4l2-ctl prints `<` for each frame. Its exit status does not say whether it got one.
    return b"<" in subprocess.run(command, capture_output=True, timeout=PATIENCE).stderr


def _locked(stack: contextlib.ExitStack, number: int) -> bool:
    """Locks a preloaded camera until the stack ends, as a program does that streams from it. Returns false where
    another program has locked it.
    """
    file = stack.enter_context(_preloaded().file(number).open())
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
