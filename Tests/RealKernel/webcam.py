"""A USB webcam of our own. It is real to the kernel (vhci-hcd, uvcvideo) and to the daemon, and it obeys commands.

`webcam/` is the camera, a program in C that `scripts/vm-test` builds. `Webcam` runs one camera and sends it commands.
There are these fixtures, also for tests elsewhere in this folder: `webcam` is plugged in, `shared_webcam` is plugged in
once for a whole file, and `webcams` makes as many cameras as a test wants (see `WebcamMaker`). All cameras are
unplugged when the test ends. Outside of the guest, `webcam` and `shared_webcam` give a preloaded camera to tests that
only read its pictures.

The camera offers MJPG 1280 x 720 (its default), 1920 x 1080, 640 x 480 and 640 x 360, and YUYV 320 x 180, each at 30,
15 and 5 pictures a second. It has exposure with and without automatic, gain, brightness and focus. Its pictures show
the timecode board of the synthetic cameras (`firstlight.timecode`): the number of the picture since STREAMON, which is
the driver's sequence number; the wall-clock time of the picture; and the number of the camera. Below the board are
three bands of the same height: sixteen greys of luma 10, 20, … 160, eight colours, and fine detail of luma 60 and 100.
These values are at an exposure of 15.6 ms and gain 0. They are in proportion to the exposure and to 1 + gain / 25, and
clip at 255. Brightness adds half of its excess over 128. The automatic exposure goes a quarter of the way to a level of
1 before each picture.
"""

import contextlib
import socket
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import pytest

from client import PATIENCE, Client
from firstlight.v1 import device_service_pb2 as device
from machine import IS_GUEST
from preloaded_pictures import numbered_jpeg

PROGRAM = Path(__file__).resolve().parents[2] / ".build/webcam/webcam"
#: In units of 100 µs, as in the control: the exposure that the automatic exposure reaches in the usual light.
REFERENCE_EXPOSURE = 156
#: The ways to spoil pictures. See `Webcam.spoil`.
SPOILINGS = ("no-tables", "padding", "no-end", "cut", "torn", "garbage", "other-size", "error-bit")


# NETLINK_KOBJECT_UEVENT, for which Python has no name.
_UEVENTS = 15


class KernelEvents:
    """The kernel's messages about devices from now on, as udev gets them."""

    def __init__(self):
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _UEVENTS)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self._socket.bind((0, 1))
        self._socket.settimeout(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def wait_for(self, action: str, ending: str) -> str:
        """Waits for the next device to which `action` happened and whose path ends with `ending`. Returns its path in
        /sys.
        """
        while True:
            head = self._socket.recv(1 << 16).split(b"\0", 1)[0].decode()
            told, _, path = head.partition("@")
            if told == action and path.endswith(ending):
                return path


class Webcam:
    """One camera, plugged in when a `with` block begins and unplugged when the block ends.

    A test can unplug and plug in the camera at any time. The camera then keeps the commands that it got, but its
    controls have their defaults again.
    """

    def __init__(
        self,
        port: int = 0,
        serial: str = "FL0001",
        product: str = "Example Webcam",
        *,
        number: int | None = None,
        default_rate: int = 30,
        dishonoured: tuple[int, int] = (0, 0),
        clip: Sequence[bytes] = (),
    ):
        """Creates a camera for one of the ports 0 to 7. The camera is not plugged in yet.

        An empty `serial` means that the camera has no serial number. `number` is the camera number on the timecode
        board, by default `port`. `default_rate` is the rate that the driver uses when no program asks for one (30, 15
        or 5). The camera lists the size `dishonoured`, but sets another size in its place. With a `clip` it also lists
        H264 640 x 360, and sends the pictures of the clip in turn.
        """
        self.port = port
        self.serial = serial
        self.product = product
        self.number = port if number is None else number
        self._interval = {30: 333333, 15: 666666, 5: 2000000}[default_rate]
        self._dishonoured = dishonoured
        self._clip = b"".join(struct.pack("<I", len(picture)) + picture for picture in clip)
        self._files = contextlib.ExitStack()
        self._process: subprocess.Popen | None = None
        self._bus = ""

    def __enter__(self):
        subprocess.run(["modprobe", "-a", "vhci-hcd", "uvcvideo"], check=True, timeout=PATIENCE)
        arguments = [self.port, self.number, self.serial, self.product, self._interval, *self._dishonoured]
        if self._clip:
            file = self._files.enter_context(tempfile.NamedTemporaryFile())
            file.write(self._clip)
            file.flush()
            arguments.append(file.name)
        self._process = subprocess.Popen(
            [PROGRAM, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._bus = f"{_root_hub()}-{self.port + 1}"
        try:
            self.plug()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.is_plugged:
            self.unplug()
        # The program ends with its input.
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()
        self._files.close()

    def tell(self, command: str) -> str:
        """Sends a command of `webcam/commands.c`. Returns the words of the answer behind "ok"."""
        self._process.stdin.write(command + "\n")
        answer = self._process.stdout.readline().split()
        assert answer[:1] == ["ok"], f"{command}: {' '.join(answer) or 'the camera has ended'}"
        return " ".join(answer[1:])

    @property
    def status(self) -> dict[str, int]:
        """The state of the camera, the value of every control, and the number of periods that passed without a picture
        (`late`).
        """
        return {name: int(value) for name, _, value in (word.partition("=") for word in self.tell("status").split())}

    @property
    def is_plugged(self) -> bool:
        """Whether the camera is plugged in."""
        return self._process.poll() is None and self.status["plugged"] == 1

    @property
    def location(self) -> str:
        """The location of the camera in the kernel and in the daemon. It is the same when the camera is plugged in
        again.
        """
        return f"usb-vhci_hcd.0-{self.port + 1}"

    @property
    def usb_path(self) -> Path:
        """The folder in /sys of the USB device."""
        return Path(f"/sys/bus/usb/devices/{self._bus}")

    @property
    def node(self) -> str:
        """The present path of the video node."""
        nodes = self._nodes()
        return f"/dev/{min(nodes, key=lambda node: int((node / 'index').read_text())).name}"

    @property
    def metadata_node(self) -> str:
        """The path of the second node of uvcvideo, which has the headers of payloads."""
        nodes = self._nodes()
        return f"/dev/{max(nodes, key=lambda node: int((node / 'index').read_text())).name}"

    def _nodes(self) -> list[Path]:
        return list(Path(f"/sys/bus/usb/devices/{self._bus}:1.0/video4linux").iterdir())

    # --- plugging and unplugging

    def plug(self) -> None:
        """Plugs the camera in. Its nodes exist when this returns."""
        with KernelEvents() as events:
            self.tell("plug")
            events.wait_for("bind", f"/{self._bus}:1.0")

    def unplug(self) -> None:
        """Unplugs the camera. Its nodes are gone when this returns."""
        with KernelEvents() as events:
            self.tell("unplug now")
            events.wait_for("remove", f"/{self._bus}")

    @contextlib.contextmanager
    def unplugging(self, point: str) -> Iterator[None]:
        """Makes the camera unplug itself once, at a point that the body reaches. The camera is gone when the block
        ends.

        The points are `open` (the first request to a sleeping camera: see `let_sleep`), `probe` (S_FMT), `commit`
        (STREAMON), `frame N` (in the middle of that picture of the stream), `set CONTROL` and `get CONTROL`. The
        controls are `exposure-mode`, `exposure`, `focus`, `focus-mode`, `brightness` and `gain`.
        """
        with KernelEvents() as events:
            self.tell(f"unplug {point}")
            yield
            events.wait_for("remove", f"/{self._bus}")

    def let_sleep(self) -> None:
        """Lets the camera sleep as soon as no program uses it, so that opening it has to wake it."""
        (self.usb_path / "power/autosuspend_delay_ms").write_text("0")

    # --- faults

    def spoil(self, kind: str, every: int = 1, remainder: int = 0) -> None:
        """Spoils the pictures whose number leaves this remainder when divided by `every`. See SPOILINGS.

        Kinds add up. `no-tables`: no Huffman tables. `padding`: zeros after EOI. `no-end`: without EOI. `cut`: only the
        first half. `torn`: a quarter in the middle is missing. `garbage`: random bytes. `other-size`: a whole picture
        of 320 x 180. `error-bit`: whole, but marked as broken in the headers of its payloads (the driver then drops the
        picture, unless /sys/module/uvcvideo/parameters/nodrop is 1).
        """
        self.tell(f"spoil {kind} {every} {remainder}")

    def spoil_nothing(self) -> None:
        """Stops spoiling pictures."""
        self.tell("spoil none")

    def stall(self) -> None:
        """Stops sending pictures. The camera still answers all requests."""
        self.tell("stall")

    def resume(self) -> None:
        """Sends pictures again, from the next one on."""
        self.tell("resume")

    def answer_late(self, control: str, milliseconds: int) -> None:
        """Answers SET_CUR and GET_CUR of a control, of `probe` or of `commit` so many milliseconds late.

        The kernel waits for 5 s at most.
        """
        self.tell(f"answer {control} late {milliseconds}")

    def refuse(self, control: str) -> None:
        """Answers SET_CUR and GET_CUR of a control, of `probe` or of `commit` with a protocol stall."""
        self.tell(f"answer {control} refused")

    def answer_well(self) -> None:
        """Ends late answers and refusals of all controls."""
        self.tell("answer all well")

    def light(self, factor: float) -> None:
        """Sets the brightness of the scene. The camera begins with 1."""
        self.tell(f"light {factor}")

    def noise(self, deviation: float) -> None:
        """Sets the standard deviation of luma in MJPG below the board, in code values. The camera begins with 0."""
        self.tell(f"noise {deviation}")

    @contextlib.contextmanager
    def recording(self) -> Iterator["Recording"]:
        """Keeps every picture that the camera sends until the block ends."""
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            self.tell(f"record {folder}")
            try:
                yield Recording(Path(folder))
            finally:
                self.tell("record")

    # --- the camera in the daemon

    def device(self, client: Client) -> device.Device:
        """The daemon's device for this camera, once the daemon has found it."""
        with client.watch_devices() as events:
            while True:
                event = events.next().event
                if event.kind == device.DeviceEvent.KIND_CONNECTED and event.device.location == self.location:
                    return event.device


class Recording:
    """The pictures of a camera's stream as they were sent. Spoilt pictures are as the camera spoilt them."""

    def __init__(self, folder: Path):
        self._folder = folder

    def picture(self, number: int) -> bytes:
        """The bytes of a picture of the latest stream. The camera must have finished this picture."""
        return (self._folder / str(number)).read_bytes()

    @property
    def numbers(self) -> dict[bytes, int]:
        """The numbers of the pictures so far, by their bytes."""
        return {file.read_bytes(): int(file.name) for file in self._folder.iterdir()}


class PreloadedWebcam:
    """A preloaded camera that gives JPEG, in place of a webcam that a test leaves unchanged."""

    def device(self, client: Client) -> device.Device:
        """The daemon's device for this camera."""
        return client.cameras()[0]

    @contextlib.contextmanager
    def recording(self) -> Iterator["PreloadedWebcam"]:
        """What knows every picture that the camera sends until the block ends."""
        yield self

    def picture(self, number: int) -> bytes:
        """The bytes of a picture of any stream."""
        return numbered_jpeg(number)


class WebcamMaker(Protocol):
    """The type of the fixture `webcams`: makes a camera and plugs it in.

    The arguments are those of Webcam. Without a port the camera gets the next one.
    """

    def __call__(self, **arguments) -> Webcam:
        """Makes a camera and plugs it in."""


def _root_hub() -> int:
    """The number of the USB 2.0 bus that vhci-hcd provides."""
    buses = Path("/sys/devices/platform/vhci_hcd.0").glob("usb[0-9]*")
    return min(int(bus.name[3:]) for bus in buses)


@pytest.fixture
def webcams(client) -> Iterator[WebcamMaker]:
    """Makes cameras, each in the next port.

    When the test ends, the cameras are unplugged and the daemon has lost them.
    """
    with contextlib.ExitStack() as stack:
        made: list[Webcam] = []

        def make(**arguments) -> Webcam:
            port = arguments.pop("port", len(made))
            arguments.setdefault("serial", f"FL{port + 1:04}")
            made.append(stack.enter_context(Webcam(port, **arguments)))
            return made[-1]

        yield make
    wait_until_gone(client, {camera.location for camera in made})


@pytest.fixture
def webcam(request) -> Webcam | PreloadedWebcam:
    """A camera that is plugged in."""
    return request.getfixturevalue("webcams")() if IS_GUEST else PreloadedWebcam()


@pytest.fixture(scope="module")
def shared_webcam(request) -> Iterator[Webcam | PreloadedWebcam]:
    """A camera, plugged in once for all tests of a file that ask for it. These tests leave it unchanged."""
    if not IS_GUEST:
        yield PreloadedWebcam()
        return
    client = request.getfixturevalue("client")
    # This port is far from the ports with which `webcams` begins.
    with Webcam(7, serial="FL0008") as camera:
        yield camera
    wait_until_gone(client, {camera.location})


def wait_until_gone(client: Client, locations: set[str]) -> None:
    """Waits until the daemon has no camera at these locations any more."""
    with client.watch_devices() as events:
        present, all_listed = set(), False
        while not all_listed or present & locations:
            event = events.next().event
            change = present.discard if event.kind == device.DeviceEvent.KIND_DISCONNECTED else present.add
            change(event.device.location)
            # Of the events of present cameras, only the last one has an id.
            all_listed = all_listed or event.event_id != ""
