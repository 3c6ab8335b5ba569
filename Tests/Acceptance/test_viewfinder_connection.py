"""The stream of the viewfinder page: what the page shows and says when pictures do not come, and how it goes on."""

from __future__ import annotations

import pytest

import firstlight
from browser import EXACT, SECONDS, Serving
from faults import REPLUG, UNPLUG, inject
from support import SYNTHETIC, wait_until

pytestmark = pytest.mark.timeout(120)

#: The most old frames that a tab may show after it stood still for 8 s: those of a second.
STALE = 30


@pytest.mark.parametrize("codec", ["jpeg", "h264"])
def test_a_tab_that_was_stalled_shows_a_fresh_frame_at_once(serving, open_page, codec):
    served = serving()
    served.session()
    viewfinder = open_page(f"{served.address}?codec={codec}")
    viewfinder.wait_for_picture()
    # A frame that was captured after the stall is fresh. The tab counts the frames that it draws before.
    stale = viewfinder.page.evaluate("""async () => {
        const end = performance.now() + 8000;
        while (performance.now() < end);
        const [ended, drawn] = [Date.now(), firstlight.current.drawn];
        const limit = performance.now() + 10000;
        while (firstlight.current.captureMilliseconds <= ended) {
            if (performance.now() > limit) return -1;
            await new Promise(requestAnimationFrame);
        }
        return firstlight.current.drawn - drawn - 1;
    }""")
    assert 0 <= stale <= STALE, "-1 stands for no fresh frame within ten seconds"


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
    viewfinder.page.click("#wall-button")
    viewfinder.wait("document.querySelector('.tile strong').textContent === 'The camera is not there'")
    assert viewfinder.violations() == []
    viewfinder.page.click("#wall-button")
    inject(served.client, REPLUG)
    viewfinder.wait(
        f"!['', '{stream}'].includes(firstlight.current.streamId) && document.querySelector('#notice').hidden"
    )
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
    viewfinder.hide(True)
    viewfinder.wait("firstlight.connection === 'hidden'")
    wait_until(lambda: readers(served) == 0, SECONDS)
    drawn = viewfinder.get("firstlight.current.drawn")
    viewfinder.hide(False)
    viewfinder.wait(f"firstlight.connection === 'live' && firstlight.current.drawn > {drawn}")
    assert viewfinder.get("firstlight.session") == name


def test_a_stream_that_the_page_ends_itself_is_no_lost_connection(serving, open_page):
    served = serving()
    name = served.session()
    wanted = served.client.session(name).configuration
    without_photo = type(wanted)()
    without_photo.CopyFrom(wanted)
    without_photo.ClearField("photo")
    served.client.configure(name, without_photo)
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.get("""{
        window.told = [];
        const state = document.querySelector('#state-text');
        new MutationObserver(() => told.push(state.textContent)).observe(state, { childList: true });
        const notice = document.querySelector('#notice');
        const tell = () => { if (!notice.hidden) told.push(notice.innerText); };
        new MutationObserver(tell).observe(notice, { attributeFilter: ['hidden'] });
    }""")
    # The stream knows no photo output, so the page begins another one.
    served.client.configure(name, wanted)
    viewfinder.wait("told.includes('Connecting') && firstlight.look === 'ready'")
    viewfinder.get("""{
        window.before = told.splice(0);
        for (const hidden of [true, false]) {
            Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
            document.dispatchEvent(new Event('visibilitychange'));
        }
    }""")
    viewfinder.wait("told.includes('Connecting') && told.at(-1) === 'Live'")
    assert set(viewfinder.get("[...before, ...told]")) <= {"Changing", "Paused", "Connecting", "Live"}


def readers(served: Serving) -> int:
    """The viewers of previews that the daemon counts now."""
    _, metrics = served.endpoint.ask("GET", "/metrics")
    found = [line for line in metrics.decode().splitlines() if line.startswith("firstlight_output_readers{")]
    return sum(int(float(line.rpartition(" ")[2])) for line in found)


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
