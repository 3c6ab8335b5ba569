"""The viewfinder page in Debian's Chromium, steered by Playwright."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import datetime
import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

import firstlight
from captures import SMALL
from firstlight.daemon import Daemon
from firstlight.timecode import Timecode
from http_rpc import HTTPEndpoint
from support import SYNTHETIC, Stubs

CHROMIUM = "/usr/bin/chromium"
SECONDS = 20.0

#: A window like that of a phone.
PHONE = {"width": 390, "height": 844, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}

#: A session for pictures of the exact frame: photos of one frame each.
EXACT = {**SMALL, "max_quality": firstlight.Quality.SPEED}

#: Keeps what was on the canvas at each press of the shutter. The listener runs before the page's own.
_KEEP_PRESSES = """
    window.presses = [];
    const keep = () => {
        const { current, layout } = window.firstlight;
        const place = layout === 'wall' ? '#wall [aria-current="true"] canvas' : '#picture';
        presses.push({ picture: document.querySelector(place).toDataURL(), ...current });
    };
    document.addEventListener('click', (event) => { if (event.target.closest('#shutter')) keep(); }, true);
"""


@dataclasses.dataclass
class Press:
    """A press of the shutter: what was on the canvas, and the photo that the page showed later."""

    #: The board of the picture that was on the canvas.
    canvas: Timecode | None
    #: The board of the photo.
    photo: Timecode | None
    #: How the picture on the canvas was encoded.
    encoding: str


class Viewfinder:
    """A tab with the viewfinder page."""

    def __init__(self, page: Page) -> None:
        #: Playwright's page.
        self.page = page
        #: The errors that the page did not catch, and refusals of its Content-Security-Policy.
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._console)

    def open(self, address: str) -> Viewfinder:
        """Opens the page."""
        self.page.add_init_script(_KEEP_PRESSES)
        self.page.goto(address)
        return self

    def get(self, expression: str) -> Any:
        """The value of an expression in the page."""
        return self.page.evaluate(f"() => {expression}")

    def wait(self, condition: str, seconds: float = SECONDS) -> None:
        """Waits until an expression in the page is true. The policy of the page forbids Playwright's own way."""
        waiting = """([limit, what]) => new Promise((resolve, reject) => {
            const end = performance.now() + limit;
            const look = () => {
                let holds = false;
                try { holds = %s; } catch {}
                if (holds) resolve();
                else if (performance.now() > end) {
                    reject(new Error(`still waiting for ${what}; ${JSON.stringify(Object.fromEntries(
                        Object.keys(Object.getOwnPropertyDescriptors(window.firstlight ?? {}))
                            .map((key) => [key, window.firstlight[key]])))}; ${document.body.innerText}`));
                } else setTimeout(look, 10);
            };
            look();
        })"""
        self.page.evaluate(waiting % f"Boolean({condition})", [seconds * 1000, condition])

    def wait_for_picture(self, seconds: float = SECONDS) -> None:
        """Waits until the large picture moves and the whole page is there."""
        self.wait("firstlight.isComplete && firstlight.devices.length > 0 && firstlight.current.drawn > 1", seconds)

    def wait_for_next(self) -> None:
        """Waits until another picture of the selected camera is drawn."""
        drawn = self.get("firstlight.current.drawn")
        self.wait(f"firstlight.current.drawn > {drawn}")

    def press(self, key: str = "") -> Press:
        """Presses the shutter, by mouse or by a key, and waits for its photo."""
        self.wait("firstlight.look === 'ready'")
        before = self.get("firstlight.photos.map((photo) => photo.capture)")
        count = self.get("presses.length")
        if key:
            self.page.keyboard.press(key)
        else:
            self.page.click("#shutter")
        assert self.get("presses.length") == count + 1
        self.wait(f"firstlight.photos.some((each) => each.isLoaded && !{json.dumps(before)}.includes(each.capture))")
        (capture,) = set(self.get("firstlight.photos.map((photo) => photo.capture)")) - set(before)
        # The well shows the photo as the daemon made it, the list of the library a small picture of it.
        self.wait(f"document.querySelector('#well-picture').dataset.key === '{capture} 0'")
        photo = self.page.evaluate(
            """async () => {
                const image = document.querySelector('#well-picture img');
                await image.decode();
                const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
                canvas.getContext('2d').drawImage(image, 0, 0);
                const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
                return `,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
            }"""
        )
        kept = self.get("presses.at(-1)")
        return Press(board(kept["picture"]), board(photo), kept["encoding"])

    def slow_down(self, *, processor: int = 1, delay: float = 0, bytes_per_second: int = -1) -> None:
        """Makes the processor of the tab slower by a factor, delays its requests by `delay` seconds, and limits what
        comes to `bytes_per_second`, or not when it is negative.
        """
        session = self.page.context.new_cdp_session(self.page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": processor})
        session.send("Network.enable")
        limits = {"downloadThroughput": bytes_per_second, "uploadThroughput": -1}
        session.send("Network.emulateNetworkConditions", {"offline": False, "latency": delay * 1000, **limits})

    def focus(self, selector: str) -> None:
        """Moves the focus to an element by the tab key alone."""
        for _ in range(60):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"the tab key does not reach {selector}")

    def hide(self, is_hidden: bool) -> None:
        """Tells the page that its tab is hidden, or shown again."""
        tell = "document.dispatchEvent(new Event('visibilitychange'));"
        property = "Object.defineProperty(document, 'hidden', { value: true, configurable: true });"
        self.get(f"{{ {property if is_hidden else 'delete document.hidden;'} {tell} }}")

    def violations(self) -> list[str]:
        """What axe finds that keeps people from using the page."""
        found = Axe().run(self.page).response["violations"]
        return [f"{each['id']}: {[node['html'] for node in each['nodes']]}" for each in found]

    def _console(self, message: Any) -> None:
        if message.type == "error" and "Content Security Policy" in message.text:
            self.errors.append(message.text)


def board(data: str) -> Timecode | None:
    """The timecode board of a picture, which is a data URL."""
    picture = Image.open(io.BytesIO(base64.b64decode(data.partition(",")[2])))
    return firstlight.timecode.decode(np.asarray(picture.convert("L")))


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A Chromium without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def window(browser: Browser, width: int = 1280, height: int = 800, **options: Any) -> Iterator[BrowserContext]:
    """A window with storage and connections of its own. Playwright's waits end after SECONDS."""
    context = browser.new_context(viewport={"width": width, "height": height}, **options)
    context.set_default_timeout(SECONDS * 1000)
    try:
        yield context
    finally:
        context.close()


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
