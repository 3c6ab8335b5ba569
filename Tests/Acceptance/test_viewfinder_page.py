"""The viewfinder page, as a person uses it in a browser."""

from __future__ import annotations

import contextlib
import datetime
import time
from collections.abc import Callable, Iterator

import pytest

import firstlight
from browser import Viewfinder, chromium, window
from captures import SMALL
from conftest import sessions
from faults import REPLUG, UNPLUG, inject
from firstlight.daemon import Daemon
from http_rpc import HTTPEndpoint
from support import SYNTHETIC, Stubs, refused

#: A session for pictures of the exact frame: photos of one frame each.
EXACT = {**SMALL, "max_quality": firstlight.Quality.SPEED}
PHONE = {"width": 390, "height": 844, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def context(browser):
    with window(browser) as context:
        yield context


class Serving:
    """A daemon that serves the page."""

    def __init__(self, daemon: Daemon, client: firstlight.Client, endpoint: HTTPEndpoint) -> None:
        self.daemon, self.client, self.endpoint = daemon, client, endpoint
        self.stubs = Stubs(client.channel)

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"{self.endpoint.origin}/"

    def session(self, name: str = "default", device: str = SYNTHETIC[0], **keywords: object) -> str:
        """Starts a session of small frames."""
        configuration = firstlight.configuration(device, **{**EXACT, **keywords})
        # The tests make the tab so slow, on a machine that may be busy, that a request may come late.
        configuration.photo.zero_shutter_lag_window.FromTimedelta(datetime.timedelta(seconds=3))
        return self.client.create_session(name, configuration=configuration, start=True).name


@pytest.fixture
def serving(own_daemon, tmp_path) -> Iterator[Callable[..., Serving]]:
    """Starts a daemon that serves the page. Unless `sessions` says otherwise, it has no sessions of its own."""
    file = tmp_path / "firstlight.yaml"
    with contextlib.ExitStack() as stack:

        def start(*flags: str, sessions: str = "sessions: {}\n") -> Serving:
            file.write_text(sessions)
            always = ("--http-listen", "127.0.0.1:0", "--enable-fault-injection", "--config", str(file))
            daemon = own_daemon(*always, *flags)
            client = stack.enter_context(firstlight.connect(daemon.address, timeout=20))
            return Serving(daemon, client, HTTPEndpoint(tmp_path / "firstlightd.log"))

        yield start


@pytest.fixture
def open_page(context) -> Iterator[Callable[..., Viewfinder]]:
    """Opens the page in a new tab. At the end no tab may have had an error."""
    opened: list[Viewfinder] = []

    def open_tab(address: str) -> Viewfinder:
        opened.append(Viewfinder(context.new_page()).open(address))
        return opened[-1]

    yield open_tab
    assert [error for viewfinder in opened for error in viewfinder.errors] == []


def test_the_picture_and_the_shutter_come_first(serving, open_page):
    served = serving()
    served.session()
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    loaded = {
        name.rpartition("/")[2]: start
        for name, start in viewfinder.get(
            "performance.getEntriesByType('resource').map((entry) => [entry.name, entry.startTime])"
        )
    }
    assert {"main.js", "shutter.js", "preview-canvas.js"} <= loaded.keys()
    assert loaded["everything-else.js"] >= viewfinder.get("firstlight.firstPictureTime")
    assert all(
        viewfinder.get("location.origin") in each
        for each in viewfinder.get("performance.getEntriesByType('resource').map((entry) => entry.name)")
    )


@pytest.mark.timeout(240)
@pytest.mark.parametrize("codec", ["jpeg", "h264"])
def test_a_photo_shows_the_frame_that_was_on_the_screen(serving, open_page, codec):
    served = serving()
    # The daemon makes pictures smaller for a tab that is so slow, and the board must stay readable.
    served.session(size=(640, 360))
    viewfinder = open_page(f"{served.address}?codec={codec}")
    viewfinder.wait_for_picture()
    viewfinder.slow_down(processor=4, delay=0.1)
    presses = []
    for _ in range(50):
        viewfinder.wait_for_next()
        presses.append(viewfinder.press())
    assert {press.encoding for press in presses} == {codec.upper()}
    assert all(press.canvas for press in presses)
    assert [press.photo for press in presses] == [press.canvas for press in presses]
    assert len({press.canvas.sequence for press in presses}) == 50


def test_a_slow_link_gets_h264(serving, open_page):
    served = serving()
    served.session(size=(1280, 720))
    viewfinder = open_page(f"{served.address}?codec=auto")
    viewfinder.slow_down(bytes_per_second=200_000)
    # The limit is for streams that begin now.
    viewfinder.page.reload()
    viewfinder.wait("firstlight.current.encoding === 'H264'", 40)
    press = viewfinder.press()
    assert press.photo == press.canvas


@pytest.mark.parametrize(
    ("features", "look"),
    [
        ({}, "spinner"),
        ({"responsive_capture": True}, "unchanged"),
        ({"zero_shutter_lag": False}, "dimmed"),
    ],
)
def test_the_shutter_looks_as_readiness_says(serving, open_page, features, look):
    served = serving()
    name = served.session(**features)
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.press()
    served.client.start_tracking(name, "tracked")
    viewfinder.wait(f"firstlight.look === '{look}'")
    assert viewfinder.get("document.querySelector('#shutter').ariaDisabled") == "true"
    served.client.stop_tracking(name, "tracked")
    viewfinder.wait("firstlight.look === 'ready'")
    served.client.stop(name)
    viewfinder.wait("firstlight.look === 'off'")


@pytest.mark.parametrize("codec", ["jpeg", "h264"])
def test_a_tab_that_was_stalled_shows_a_fresh_frame_at_once(serving, open_page, codec):
    served = serving()
    served.session()
    viewfinder = open_page(f"{served.address}?codec={codec}")
    viewfinder.wait_for_picture()
    viewfinder.get("{ const end = performance.now() + 20000; while (performance.now() < end); }")
    ended = time.time()
    # A frame that was captured after the stall is fresh.
    viewfinder.wait(f"firstlight.current.captureMilliseconds > {ended * 1000}", 1)


def test_the_page_says_that_a_camera_is_unplugged_and_goes_on_by_itself(serving, open_page):
    served = serving()
    served.session()
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    stream = viewfinder.get("firstlight.current.streamId")
    inject(served.client, UNPLUG)
    viewfinder.wait("firstlight.sessionState === 'INTERRUPTED' && !document.querySelector('#notice').hidden")
    assert viewfinder.get("document.querySelector('#notice h2').textContent") == "The camera is not there"
    assert viewfinder.get("firstlight.look") != "ready"
    assert viewfinder.violations() == []
    inject(served.client, REPLUG)
    viewfinder.wait(f"firstlight.current.streamId !== '{stream}' && document.querySelector('#notice').hidden")
    press = viewfinder.press()
    assert press.photo == press.canvas


def test_the_page_connects_again_by_itself(serving, open_page, own_daemon, tmp_path):
    served = serving("--drain-timeout", "1")
    served.session()
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    assert served.daemon.stop() == 0
    viewfinder.wait("firstlight.connection === 'waiting'")
    assert viewfinder.get("document.querySelector('#notice h2').textContent") == "The daemon does not answer"
    flags = ("--http-listen", f"127.0.0.1:{served.endpoint.port}", "--config", str(tmp_path / "firstlight.yaml"))
    again = own_daemon(*flags)
    with firstlight.connect(again.address) as client:
        client.create_session("default", configuration=firstlight.configuration(SYNTHETIC[0], **EXACT), start=True)
        viewfinder.wait("firstlight.connection === 'live' && firstlight.look === 'ready'")
        press = viewfinder.press()
        assert press.photo == press.canvas


def test_a_hidden_tab_holds_nothing_open(serving, open_page):
    served = serving()
    name = served.session()
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.get("""{
        Object.defineProperty(document, 'hidden', { value: true, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }""")
    viewfinder.wait("firstlight.connection === 'hidden'")
    wait_for(lambda: readers(served) == 0)
    drawn = viewfinder.get("firstlight.current.drawn")
    viewfinder.get("{ delete document.hidden; document.dispatchEvent(new Event('visibilitychange')); }")
    viewfinder.wait(f"firstlight.connection === 'live' && firstlight.current.drawn > {drawn}")
    assert viewfinder.get("firstlight.session") == name


def readers(served: Serving) -> int:
    """The viewers of previews that the daemon counts now."""
    _, metrics = served.endpoint.ask("GET", "/metrics")
    found = [line for line in metrics.decode().splitlines() if line.startswith("firstlight_output_readers{")]
    return sum(int(float(line.rpartition(" ")[2])) for line in found)


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Waits until a condition outside of the page holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "still waiting"
        time.sleep(0.02)


@pytest.mark.timeout(240)
def test_eight_cameras_on_a_page_in_four_tabs_and_a_download_share_the_connections(serving, open_page):
    served = serving("--synthetic", "8")
    for number in range(8):
        served.session(f"camera-{number}", f"devices/synthetic-{number}", frame_rate=5)
    tabs = [open_page(f"{served.address}?view=wall&session=camera-{number}") for number in range(4)]
    # A stream that one tab does not read stands for a download.
    tabs[0].get("""fetch('/firstlight.v1.DeviceService/WatchDevices', { method: 'POST', body: new Uint8Array(5),
        headers: { 'content-type': 'application/connect+proto' } }).then((response) => { window.held = response; })""")
    for tab in tabs:
        tab.wait("firstlight.views.length === 8 && firstlight.views.every((view) => view.drawn > 1)", 60)
    for tab in tabs:
        drawn = tab.get("firstlight.views.map((view) => view.drawn)")
        tab.wait(f"firstlight.views.every((view, index) => view.drawn > {drawn}[index] + 2)", 60)
    for number, tab in enumerate(tabs):
        tab.page.bring_to_front()
        press = tab.press()
        assert press.photo == press.canvas
        assert press.photo.camera == number


def test_one_camera_of_the_wall_becomes_large(serving, open_page):
    served = serving()
    served.session("left", SYNTHETIC[0])
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.click("#wall-button")
    viewfinder.wait("firstlight.layout === 'wall' && firstlight.views.length === 1")
    viewfinder.page.get_by_role("button", name="Synthetic camera 1: Open").click()
    viewfinder.wait("firstlight.sessions.length === 2 && firstlight.views.every((view) => view.drawn > 1)")
    viewfinder.page.get_by_role("button", name="Synthetic camera 1: live").click()
    viewfinder.wait(
        "firstlight.layout === 'one' && firstlight.session !== 'sessions/left' && firstlight.current.drawn > 1"
    )
    assert viewfinder.press().photo.camera == 1


def test_the_standard_session_starts_by_itself(serving, open_page):
    served = serving(sessions="")
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    assert viewfinder.get("firstlight.session") == "sessions/default"
    press = viewfinder.press()
    assert press.photo.camera == press.canvas.camera == 0


def test_the_page_opens_a_camera_where_there_is_no_session(serving, open_page):
    served = serving()
    viewfinder = open_page(served.address)
    viewfinder.page.get_by_role("button", name="Open Synthetic camera 1").click()
    viewfinder.wait_for_picture()
    (session,) = sessions(served.client)
    assert session.configuration.inputs[0].device == SYNTHETIC[1]


def test_controls_and_formats_are_those_of_the_device(serving, open_page):
    served = serving()
    name = served.session()
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    page = viewfinder.page
    page.click("#panel-button")
    page.click("#tab-controls")
    controls = {control.id: control for control in served.client.device(SYNTHETIC[0]).controls}
    slider = page.get_by_label("Brightness")
    slider.wait_for()
    limits = {"min": controls["brightness"].minimum, "max": controls["brightness"].maximum}
    assert {key: int(slider.get_attribute(key)) for key in limits} == limits
    slider.fill("20")
    wait_for(lambda: value(served, "brightness") == 20)
    page.get_by_label("Auto Exposure", exact=True).select_option("Manual Mode")
    viewfinder.wait("!document.querySelector('#control-exposure_time_absolute').disabled")
    page.click("#tab-camera")
    page.get_by_label("Format").select_option("NV12 640x360")
    wait_for(lambda: served.client.session(name).resolved_configuration.inputs[0].format.width == 640)
    viewfinder.wait("firstlight.look === 'ready' && document.querySelector('#picture').width === 640")


def value(served: Serving, control: str) -> int:
    """The present value of a control of the first camera."""
    (found,) = [each for each in served.client.device(SYNTHETIC[0]).controls if each.id == control]
    return found.value.integer


def test_the_keyboard_is_enough(serving, open_page):
    served = serving()
    served.session("default", SYNTHETIC[0])
    served.session("other", SYNTHETIC[1])
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.wait("firstlight.sessions.length === 2")
    keys = viewfinder.page.keyboard
    keys.press("ArrowRight")
    viewfinder.wait("firstlight.session === 'sessions/other' && firstlight.look === 'ready'")
    focus(viewfinder, "shutter")
    press = viewfinder.press("Space")
    assert press.photo == press.canvas
    keys.press("w")
    viewfinder.wait("firstlight.layout === 'wall' && firstlight.views.every((view) => view.drawn > 0)")
    keys.press("Escape")
    viewfinder.wait("firstlight.layout === 'one'")
    keys.press("i")
    viewfinder.wait(
        "!document.querySelector('#overlay').hidden && document.querySelector('#overlay').children.length > 4"
    )
    focus(viewfinder, "panel-button")
    keys.press("Enter")
    viewfinder.wait("document.activeElement.id === 'tab-camera'")
    keys.press("ArrowRight")
    viewfinder.wait("document.querySelector('#control-brightness')")
    focus(viewfinder, "control-brightness")
    before = value_of(viewfinder)
    keys.press("ArrowRight")
    viewfinder.wait(f"document.querySelector('#control-brightness').value !== '{before}'")
    keys.press("Escape")
    viewfinder.wait("document.querySelector('#panel').hidden && document.activeElement.id === 'panel-button'")
    keys.press("?")
    viewfinder.wait("document.querySelector('#help').open")
    keys.press("Escape")
    viewfinder.wait("!document.querySelector('#help').open")


def focus(viewfinder: Viewfinder, name: str) -> None:
    """Moves the focus to an element by the tab key alone."""
    for _ in range(60):
        viewfinder.page.keyboard.press("Tab")
        if viewfinder.get("document.activeElement.id") == name:
            return
    pytest.fail(f"the tab key does not reach {name}")


def value_of(viewfinder: Viewfinder) -> str:
    """The value of the slider for the brightness."""
    return viewfinder.get("document.querySelector('#control-brightness').value")


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", [{}, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing_that_keeps_people_out(browser, serving, theme, size):
    served = serving()
    served.session()
    with window(browser, **size) as context:
        context.add_init_script(f"localStorage.setItem('firstlight-theme', '{theme}')")
        viewfinder = Viewfinder(context.new_page()).open(served.address)
        viewfinder.wait_for_picture()
        viewfinder.press()
        assert viewfinder.get("document.documentElement.dataset.theme") == theme
        viewfinder.page.keyboard.press("i")
        assert viewfinder.violations() == []
        viewfinder.page.click("#wall-button")
        viewfinder.wait("firstlight.views.every((view) => view.drawn > 1)")
        assert viewfinder.violations() == []
        viewfinder.page.click("#wall-button")
        viewfinder.page.click("#panel-button")
        for tab in ("controls", "photos", "machine", "camera"):
            viewfinder.page.click(f"#tab-{tab}")
            viewfinder.wait(f"document.querySelector('#page-{tab}').children.length > 1")
            assert viewfinder.violations() == []
        viewfinder.page.click("#panel-close")
        viewfinder.page.click("#help-button")
        assert viewfinder.violations() == []
        assert viewfinder.errors == []


def test_an_unknown_session_is_said_in_words(serving, open_page):
    served = serving()
    served.session()
    viewfinder = open_page(f"{served.address}?session=nowhere")
    viewfinder.wait_for_picture()
    assert viewfinder.get("document.querySelector('#alert').textContent") == "There is no session nowhere."
    with refused("NOT_FOUND"):
        served.client.session("sessions/nowhere")
