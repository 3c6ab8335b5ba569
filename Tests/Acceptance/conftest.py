"""The fixtures of the acceptance tests. They start the real daemon on a free port, with two synthetic cameras and with
thermal zones made of files.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pathlib
from collections.abc import Callable, Iterator

import grpc
import pytest
from playwright.sync_api import Browser, BrowserContext

import firstlight
import machines
from browser import Serving, Viewfinder, chromium, window
from captures import SMALL
from disks import Disk, faulty_disk
from firstlight.channel import options_for
from firstlight.daemon import Daemon
from firstlight.v1 import session_pb2, session_service_pb2 as sessions_pb2
from http_rpc import HTTPEndpoint
from metrics import Endpoint
from odd_cameras import OddCamera
from pressure_rig import MACHINES, Rig
from round_trip import RoundTrip
from storage_movies import with_units
from storages import Storage
from support import SYNTHETIC, Stubs
from sysfs import SysfsTree

REPOSITORY = pathlib.Path(__file__).parents[2]
BINARY = pathlib.Path(os.environ.get("FIRSTLIGHTD", REPOSITORY / ".build/release/firstlightd"))

# Tests run several daemons at once, and only one program can listen at the usual port of HTTP. A flag of a test wins.
os.environ["FIRSTLIGHT_HTTP_LISTEN"] = "none"

# The clients of the tests are on the daemon's machine, and not all of them know that no proxy lies before it.
for variable in [name for name in os.environ if name.lower().endswith("_proxy")]:
    del os.environ[variable]

StartDaemon = Callable[..., Daemon]


@pytest.fixture(scope="session")
def binary() -> pathlib.Path:
    """The path of the daemon under test. The environment variable FIRSTLIGHTD names another binary."""
    if not BINARY.exists():
        pytest.exit(f"{BINARY} is not there, run: make build", returncode=2)
    return BINARY


def start(binary: pathlib.Path, folder: pathlib.Path, sysfs: SysfsTree, *arguments: str) -> Daemon:
    """Starts a daemon that keeps all its files in `folder`."""
    flags = ("--synthetic", "2", "--data-dir", str(folder / "data"))
    roots = ("--sysfs-root", str(sysfs.root), "--procfs-root", str(sysfs.procfs))
    return Daemon(binary, *flags, *roots, *arguments, log=folder / "firstlightd.log")


@pytest.fixture(scope="session")
def daemon(binary: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """The daemon that most tests share. It must end with exit code 0 after the last test."""
    folder = tmp_path_factory.mktemp("daemon")
    with start(binary, folder, SysfsTree(folder / "sys")) as daemon:
        yield daemon


@pytest.fixture
def sysfs(tmp_path: pathlib.Path) -> SysfsTree:
    """Thermal zones for a daemon that belongs to this test alone."""
    return SysfsTree(tmp_path / "sys")


@pytest.fixture
def own_daemon(binary: pathlib.Path, tmp_path: pathlib.Path, sysfs: SysfsTree) -> Iterator[StartDaemon]:
    """Starts daemons for this test alone. The fixture stops those that still run when the test ends."""
    daemons: list[Daemon] = []

    def launch(*arguments: str) -> Daemon:
        # Only one daemon may use a data folder. One that runs after another finds what that one left.
        runs = any(daemon.process.poll() is None for daemon in daemons)
        data = ("--data-dir", str(tmp_path / f"data-{len(daemons)}")) if runs and "--data-dir" not in arguments else ()
        daemons.append(start(binary, tmp_path, sysfs, *data, *arguments))
        return daemons[-1]

    yield launch
    for daemon in daemons:
        if daemon.process.poll() is None:
            assert daemon.stop() == 0


@pytest.fixture
def odd_camera(own_daemon: StartDaemon, tmp_path: pathlib.Path) -> Iterator[OddCamera]:
    """A camera with oddities, and a daemon that sees it alone."""
    with contextlib.ExitStack() as stack:
        yield OddCamera(tmp_path, own_daemon, stack)


@pytest.fixture
def endpoint(own_daemon: StartDaemon, tmp_path: pathlib.Path) -> Callable[..., Endpoint]:
    """Starts a daemon that serves metrics and accepts injected faults."""

    def start(*flags: str) -> Endpoint:
        return Endpoint(own_daemon("--metrics-listen", "127.0.0.1:0", "--enable-fault-injection", *flags), tmp_path)

    return start


@pytest.fixture(scope="module", autouse=True)
def round_trips() -> Iterator[None]:
    """Makes every client of the module check each configuration that a commit returns: the daemon must accept the
    configuration again.
    """

    def connect(address: str, *, timeout: float = 30.0) -> firstlight.Client:
        channel = grpc.insecure_channel(address, options=options_for(address))
        return firstlight.Client(grpc.intercept_channel(channel, RoundTrip(channel)), timeout=timeout)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(firstlight, "connect", connect)
        yield


@pytest.fixture
def client(daemon: Daemon) -> Iterator[firstlight.Client]:
    """A client of the shared daemon."""
    with firstlight.connect(daemon.address, timeout=8) as client:
        yield client


@pytest.fixture
def patient(daemon: Daemon) -> Iterator[firstlight.Client]:
    """A client like `client`, with a timeout of 120 seconds for calls that wait behind many others."""
    with firstlight.connect(daemon.address, timeout=120) as client:
        yield client


@pytest.fixture
def stubs(client: firstlight.Client) -> Stubs:
    """The generated stubs on the channel of `client`."""
    return Stubs(client.channel)


Session = Callable[..., str]


@pytest.fixture
def session(client: firstlight.Client) -> Iterator[Session]:
    """Creates sessions and deletes them when the test ends: `session()` is configured, `session(start=True)` runs.

    The keywords are those of `firstlight.configuration`. With `configure=False` the session has no configuration. With
    `window`, photos may be of frames that were seen up to so many seconds ago, as a busy machine may need them.
    """
    names: list[str] = []

    def make(
        device: str = SYNTHETIC[0], *, start: bool = False, configure: bool = True, window: int = 0, **keywords: object
    ) -> str:
        names.append(client.create_session().name)
        if configure:
            wanted = firstlight.configuration(device, **keywords)
            if window:
                wanted.photo.zero_shutter_lag_window.FromSeconds(window)
            client.configure(names[-1], wanted)
        if start:
            client.start(names[-1])
        return names[-1]

    yield make
    left = {session.name for session in sessions(client)}
    for name in left.intersection(names):
        client.delete_session(name)


@pytest.fixture
def bars(client: firstlight.Client, session: Session) -> Iterator[Session]:
    """Starts sessions as `session(start=True)` does. The first camera shows colour bars from its first frame on."""
    client.set_controls(SYNTHETIC[0], {"test_pattern": 2})
    names: list[str] = []

    def make(**keywords: object) -> str:
        names.append(session(start=True, **keywords))
        return names[-1]

    yield make
    for name in names:
        client.stop(name)
    client.set_controls(SYNTHETIC[0], {"reset_controls": None})


@pytest.fixture
def running(session: Session) -> Session:
    """Starts a session of small frames. The keywords of `firstlight.configuration` add to or replace `SMALL`."""
    return lambda **features: session(start=True, **{**SMALL, **features})


@pytest.fixture
def ready(client: firstlight.Client, running: Session) -> Session:
    """Starts a session like `running` and takes one photo, so that the photo output is prepared."""

    def start(**features: object) -> str:
        name = running(**features)
        client.photo(name)
        return name

    return start


@pytest.fixture
def photo_session(client: firstlight.Client, session: Session) -> Iterator[Session]:
    """Starts a session of small frames with a prepared photo output. When the test ends, the fixture resets the
    camera's controls.
    """
    names: list[str] = []

    def start(**features: object) -> str:
        names.append(session(start=True, **{**SMALL, **features}))
        client.photo(names[-1])
        return names[-1]

    yield start
    for name in names:
        client.set_controls(SYNTHETIC[0], {"reset_controls": True}, session=name)


def sessions(client: firstlight.Client) -> list[session_pb2.Session]:
    """Every session of the daemon."""
    return list(Stubs(client.channel).sessions.ListSessions(sessions_pb2.ListSessionsRequest()).sessions)


@pytest.fixture
def rig(own_daemon: StartDaemon, sysfs: SysfsTree) -> Iterator[Callable[..., Rig]]:
    """Starts a daemon on one of the machines of `pressure_rig`, or on one of the module `machines` by the name of its
    constant in small letters, such as `container`.
    """
    with contextlib.ExitStack() as stack:

        def start(machine: str = "PC", *flags: str) -> Rig:
            files, number, degrees = MACHINES.get(machine) or (getattr(machines, machine.upper()), 0, {})
            zone = f"thermal_zone{number}"
            sysfs.put(files)
            if degrees:
                sysfs.heat(zone, degrees["NOMINAL"])
            daemon = own_daemon("--enable-fault-injection", *flags)
            client = stack.enter_context(firstlight.connect(daemon.address, timeout=8))
            return Rig(client, sysfs, zone, degrees)

        yield start


_ids = itertools.count(1)


@pytest.fixture
def unique_id(request: pytest.FixtureRequest) -> str:
    """An id that no other test of this run uses."""
    return f"{request.node.name[:40].lower().replace('[', '-').replace(']', '').replace('_', '-')}-{next(_ids)}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium for the tests of one module."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A window of its own for this test."""
    with window(browser) as context:
        yield context


@pytest.fixture
def serving(own_daemon: StartDaemon, tmp_path: pathlib.Path) -> Iterator[Callable[..., Serving]]:
    """Starts a daemon that serves the page. Unless `sessions` says otherwise, it has no sessions of its own."""
    file = tmp_path / "firstlight.yaml"
    with contextlib.ExitStack() as stack:

        def start(*flags: str, sessions: str = "sessions: {}\n") -> Serving:
            file.write_text(sessions)
            always = ("--http-listen", "127.0.0.1:0", "--enable-fault-injection", "--config", str(file))
            daemon = own_daemon(*always, *flags)
            client = stack.enter_context(firstlight.connect(daemon.address, timeout=20))
            return Serving(daemon, client, HTTPEndpoint.of(tmp_path / "firstlightd.log"))

        yield start


@pytest.fixture
def recorder(serving: Callable[..., Serving], tmp_path: pathlib.Path) -> Callable[..., Serving]:
    """Starts a daemon that serves the page and keeps its recordings in `movies`."""
    return lambda *flags, **options: serving("--recordings-dir", str(tmp_path / "movies"), *flags, **options)


@pytest.fixture
def disk(own_daemon: StartDaemon, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    """A disk for recordings that fails as a test says."""
    with faulty_disk(own_daemon, tmp_path, monkeypatch) as disk:
        yield disk


@pytest.fixture
def start_storage(own_daemon: StartDaemon, tmp_path: pathlib.Path) -> Iterator[Callable[..., Storage]]:
    """Starts daemons with a video storage in a folder of this test, or in another one."""
    numbers = itertools.count()
    with contextlib.ExitStack() as stack:

        def start(*flags: str, folder: pathlib.Path | str = tmp_path / "storage") -> Storage:
            socket = tmp_path / f"socket-{next(numbers)}"
            daemon = own_daemon("--listen", f"unix:{socket}", "--video-storage-dir", str(folder), *flags)
            return Storage(daemon, pathlib.Path(folder), stack, socket)

        yield start


@pytest.fixture
def movies(tmp_path: pathlib.Path) -> pathlib.Path:
    """The folder of recordings of the daemons of `start_movie_storage`."""
    return tmp_path / "movies"


@pytest.fixture
def start_movie_storage(start_storage: Callable[..., Storage], movies: pathlib.Path) -> Callable[..., Storage]:
    """Starts daemons with a video storage and a folder of recordings."""

    def start(*flags: str, movies: pathlib.Path = movies, **options: object) -> Storage:
        return start_storage("--recordings-dir", str(movies), *flags, **options)

    return start


@pytest.fixture
def storage(start_movie_storage: Callable[..., Storage]) -> Storage:
    """A storage with two units for movies. Skips the test where the temporary folder cannot hold one."""
    return with_units(start_movie_storage(), 2)


@pytest.fixture
def open_page(context: BrowserContext) -> Iterator[Callable[..., Viewfinder]]:
    """Opens the page in a new tab. At the end no tab may have had an error."""
    opened: list[Viewfinder] = []

    def open_tab(address: str) -> Viewfinder:
        opened.append(Viewfinder(context.new_page()).open(address))
        return opened[-1]

    yield open_tab
    assert [error for viewfinder in opened for error in viewfinder.errors] == []
