"""A walk through random commits of a session with several cameras and a composition of them, and what the readers of
its outputs may see.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
import time
from collections.abc import Callable

import firstlight
from camera_sets import CAMERAS, State, excused, states
from camera_wiring import OUTPUTS, Camera, Wiring
from composed_walk import Pictures, SeenComposed, check_layers, check_stream
from composed_wiring import OUTPUT as COMPOSED
from faults import REPLUG, UNPLUG, inject
from firstlight.v1 import session_pb2
from support import Collector, timecode, wait_until


@dataclasses.dataclass(frozen=True)
class Seen:
    """What a frame says. The device, its sequence and its time are read from the board in the picture."""

    revision: int
    input: str
    stream: int
    sequence: int
    dropped: firstlight.Dropped
    board: tuple[int, int, int]
    time_ns: int


class Boards:
    """The frames of an output without their pictures."""

    def __init__(self, frames) -> None:
        self._frames = frames

    def __iter__(self):
        for frame in self._frames:
            board = timecode(frame)
            yield Seen(
                frame.config_revision,
                frame.input,
                frame.stream_id,
                frame.sequence,
                frame.dropped,
                (board.sequence, board.capture_time_ns, board.camera),
                frame.capture_time_ns,
            )

    def close(self) -> None:
        """Ends the stream."""
        self._frames.close()


@dataclasses.dataclass
class Away:
    """A device that was unplugged, and the revisions between which its stream may end."""

    device: int
    since: int
    until: int | None = None


class Walk:
    """A session whose every output has a reader for the whole walk."""

    def __init__(self, client: firstlight.Client, seed: int) -> None:
        self._client, self._dice = client, random.Random(seed)
        self._wiring = Wiring()
        self.name = client.create_session(configuration=self._wiring.configuration(), start=True).name
        self._revision = client.session(self.name).config_revision
        #: The wiring of each revision, and when the answer to its commit came.
        self._wirings = {self._revision: self._wiring}
        self._answered = {self._revision: time.time_ns()}
        self._absences: list[Away] = []
        #: The steps until now, for the message of a failure.
        self.trace: list[str] = []
        self.readers = [Collector(Boards(client.video_data(self.name, output))) for output in OUTPUTS]
        self.composed = Collector(Pictures(client.video_data(self.name, COMPOSED)))

    def step(self) -> None:
        """Makes a commit of up to three changes, and seldom unplugs a camera or plugs all in again."""
        if self._dice.random() < 1 / 25:
            self._plug_in() if self._away else self._unplug()
        wiring, changes = self._wiring, []
        for _ in range(self._dice.randint(1, 3)):
            wiring, change = wiring.changed(self._dice)
            changes.append(change)
        if len(wiring.cameras) == 1:
            # While its only camera is away, a session takes no commit, and so not the configuration that it has.
            self._plug_in()
        self.trace.append(", ".join(changes))
        self._commit(wiring)
        # Half of the commits follow at once, so that streams change while others do.
        if self._dice.random() < 0.5:
            self.wait_for_frames()

    def end(self) -> None:
        """Brings every camera back, and commits the wiring with which the walk began."""
        self._plug_in()
        self.trace.append("as in the beginning")
        self._commit(Wiring())
        self.wait_for_frames()

    def wait_for_frames(self) -> None:
        """Waits until each connected output has a frame of the present revision, unless its camera or the clock of its
        composition is away.
        """
        for output, reader in enumerate(self.readers):
            camera = self._wiring.camera(output)
            if camera is not None and camera.device not in self._away:
                reader.wait_for(lambda seen: seen and seen[-1].revision == self._revision)
        clock = self._wiring.clock()
        if clock is not None and clock.device not in self._away:
            self.composed.wait_for(lambda seen: seen and seen[-1].revision == self._revision)

    @property
    def _away(self) -> set[int]:
        return {absence.device for absence in self._absences if absence.until is None}

    def _commit(self, wiring: Wiring) -> None:
        answer = self._configure(wiring)
        if isinstance(answer, firstlight.FirstlightError):
            self.trace[-1] += f" -> {answer.reason}"
            assert not self._wiring.accepts(wiring, self._away), f"{answer}, away are {self._away}"
            assert self._client.session(self.name).config_revision == self._revision
            return
        self._answered[answer.config_revision] = time.time_ns()
        self._wirings[answer.config_revision] = self._wiring = wiring
        self._revision = answer.config_revision
        self.trace[-1] += f" -> {self._revision}"

    def _configure(self, wiring: Wiring) -> session_pb2.Session | firstlight.FirstlightError:
        try:
            return self._client.configure(self.name, wiring.configuration())
        except firstlight.FirstlightError as error:
            return error

    def _unplug(self) -> None:
        used = [camera for camera in self._wiring.cameras if self._wiring.is_used(camera.device)]
        if len(used) < 2:
            return
        camera = self._dice.choice(used)
        self.trace.append(f"unplug {camera.device}")
        self._absences.append(Away(camera.device, self._revision))
        inject(self._client, UNPLUG, CAMERAS[camera.device])
        self._wait_for_state(camera, State.STATE_INTERRUPTED)

    def _plug_in(self) -> None:
        for absence in self._absences:
            if absence.until is not None:
                continue
            self.trace.append(f"plug in {absence.device}")
            inject(self._client, REPLUG, CAMERAS[absence.device])
            camera = self._wiring.on(absence.device)
            if camera is not None and self._wiring.is_used(absence.device):
                self._wait_for_state(camera, State.STATE_RUNNING)
            absence.until = self._revision

    def _wait_for_state(self, camera: Camera, state: int) -> None:
        wait_until(lambda: states(self._client, self.name)[f"cam-{camera.input}"] == state, step=0.05)

    # What readers may see

    def check(self) -> int:
        """Checks every frame that readers saw: it is of the camera that the output has under the frame's revision, and
        no frame is missing of a camera that no commit touched. Returns how many frames followed another one of such a
        camera over a commit.
        """
        kept = 0
        for output, reader in enumerate(self.readers):
            seen = reader.close()
            assert len(seen) > 1, f"{OUTPUTS[output]} saw nothing"
            for frame in seen:
                self._check_frame(output, frame)
            for before, after in itertools.pairwise(seen):
                kept += self._check_pair(output, before, after) and before.revision < after.revision
        return kept

    def check_composed(self) -> int:
        """Checks every frame of the composition. Returns how many frames followed another one over a commit that left
        the clock as it was.
        """
        seen, kept = self.composed.close(), 0
        for frame in seen:
            check_layers(frame, self._wirings[frame.revision])
            self._check_time(frame)
        restarted = set()
        for before, after in itertools.pairwise(seen):
            assert before.revision <= after.revision, (before, after)
            revision = after.revision
            if before.stream != after.stream and revision not in restarted and self._restarts_clock(revision):
                # A frame has the revision of its layers. So a picture that was due when a commit restarted the clock
                # has the revision of this commit, and the stream of before.
                restarted.add(revision)
            elif self._is_untouched(Wiring.clock, before.revision, after.revision, named=True):
                check_stream(before, after)
                kept += before.revision < after.revision
        return kept

    def _check_frame(self, output: int, frame: Seen) -> None:
        camera = self._wirings[frame.revision].camera(output)
        assert camera is not None, f"{OUTPUTS[output]} is disconnected: {frame}"
        assert frame.input == f"cam-{camera.input}", frame
        assert frame.board == (frame.sequence, frame.time_ns, camera.device), frame
        self._check_time(frame)

    def _check_time(self, frame: Seen | SeenComposed) -> None:
        following = self._answered.get(frame.revision + 1)
        if following is not None:
            assert frame.time_ns <= following, f"captured after the commit that followed: {frame}"

    def _check_pair(self, output: int, before: Seen, after: Seen) -> bool:
        assert before.revision <= after.revision, (before, after)
        if not self._is_untouched(lambda wiring: wiring.camera(output), before.revision, after.revision):
            return False
        assert before.stream == after.stream, (before, after)
        assert after.sequence == before.sequence + 1 + excused(after.dropped), (before, after)
        return True

    def _restarts_clock(self, revision: int) -> bool:
        """Whether the commit of a revision restarted the camera that is the clock of the composition."""
        before, after = (
            self._wirings[each].clock() if each in self._wirings else None for each in (revision - 1, revision)
        )
        return bool(before and after and before.device == after.device and before.rate != after.rate)

    def _is_untouched(
        self, camera_of: Callable[[Wiring], Camera | None], first: int, last: int, *, named: bool = False
    ) -> bool:
        """Whether the same camera streams on from the first to the last of these revisions, under the same name if
        `named`.
        """
        cameras = [camera_of(self._wirings[revision]) for revision in range(first, last + 1)]
        if len({(camera.device, camera.rate, named and camera.input) if camera else None for camera in cameras}) > 1:
            return False
        device = cameras[0].device
        return not any(
            absence.device == device and absence.since <= last and (absence.until is None or first <= absence.until)
            for absence in self._absences
        )
