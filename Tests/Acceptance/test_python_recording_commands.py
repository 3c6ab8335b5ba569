"""The commands of the Python package that record and that fetch recordings, as a user types them."""

from __future__ import annotations

import functools
import pathlib
import re
import signal
import subprocess
from collections.abc import Callable

import pytest

import firstlight
import shell
from captures import SMALL
from conftest import sessions
from firstlight.v1 import recording_pb2
from movies import read_movie, record, recording_session
from support import SYNTHETIC, TIMEOUT

pytestmark = pytest.mark.timeout(60)

Cause = recording_pb2.RecordingEnd
PROGRESS = re.compile(r"([\d.]+) s, [\d.]+ k?M?B, \d+ lost")


class Shell:
    """A shell beside a daemon with a folder of recordings of its own."""

    run: Callable[..., subprocess.CompletedProcess[str]]

    def __init__(self, address: str, client: firstlight.Client, folder: pathlib.Path) -> None:
        self.address, self.client, self.folder = address, client, folder
        self.run = functools.partial(shell.run, address, timeout=20)

    def begin(self, *arguments: str) -> subprocess.Popen[str]:
        """Starts the program, and lets it run. As in a terminal, it heeds an interrupt from the keyboard and the end of
        the terminal, also when the tests run in the background or by `nohup`.
        """
        command = shell.command_line(self.address, *arguments)

        def heed_terminal() -> None:
            for number in (signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)

        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_terminal
        )

    def refused(self, *arguments: str) -> str:
        """The one line of a command that fails."""
        failed = self.run(*arguments)
        assert failed.returncode == 1, failed
        (line,) = failed.stderr.splitlines()
        assert line.startswith("firstlight: ")
        return line


@pytest.fixture
def firstlight_shell(own_daemon, tmp_path):
    daemon = own_daemon("--recordings-dir", str(tmp_path / "movies"))
    with firstlight.connect(daemon.address, timeout=20) as client:
        yield Shell(daemon.address, client, tmp_path / "movies")


def test_some_seconds_are_recorded_in_a_session_of_its_own(firstlight_shell):
    before = sessions(firstlight_shell.client)
    wanted = ("--seconds", "1.5", "--optimize-for-network-use", "--device", SYNTHETIC[0], "door/first")
    done = firstlight_shell.run("record", *wanted)
    assert done.returncode == 0, done.stderr
    progress = done.stderr.splitlines()
    assert len(progress) >= 2
    assert all(PROGRESS.fullmatch(line) for line in progress)
    (recording,) = firstlight_shell.client.recordings()
    assert recording.end.cause == Cause.CAUSE_MAX_RECORDED_DURATION
    assert recording.is_optimized_for_network_use
    name, file, facts = done.stdout.rstrip().split("  ")
    assert (name, file) == (recording.name, "door/first.mp4")
    assert 0 < float(PROGRESS.fullmatch(facts)[1]) <= 1.5
    movie = read_movie(firstlight_shell.folder / "door/first.mp4")
    # A busy machine may cost the movie frames.
    assert len(movie.boards) == recording.frame_count > 0
    assert sessions(firstlight_shell.client) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_the_movie_and_the_file_is_complete(firstlight_shell, number):
    client = firstlight_shell.client
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    with firstlight_shell.begin("record", "--session", session) as program:
        for line in program.stderr:
            if float(PROGRESS.match(line)[1]) > 0.5:
                break
        program.send_signal(number)
        printed, said = program.communicate(timeout=TIMEOUT)
    assert program.returncode == 0, said
    assert said.splitlines()[-1] == "firstlight: ending the recording"
    (recording,) = client.recordings()
    assert recording.end.cause == Cause.CAUSE_STOPPED
    assert printed.startswith(f"{recording.name}  {recording.file}  ")
    assert len(read_movie(firstlight_shell.folder / recording.file).boards) == recording.frame_count
    assert session in {each.name for each in sessions(client)}


def test_a_recording_that_an_error_ends_says_what_is_there(firstlight_shell):
    client = firstlight_shell.client
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    with firstlight_shell.begin("record", "--session", session, "cut") as program:
        for line in program.stderr:
            if float(PROGRESS.match(line)[1]) > 0.5:
                break
        client.stop(session)
        printed, said = program.communicate(timeout=TIMEOUT)
    assert program.returncode == 1
    assert said.splitlines()[-1].startswith("firstlight: ABORTED OPERATION_INTERRUPTED")
    assert "  cut.mp4  " in printed


def test_what_cannot_be_recorded_is_one_line(firstlight_shell):
    client, refused = firstlight_shell.client, firstlight_shell.refused
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    plain = client.create_session(configuration=firstlight.configuration(SYNTHETIC[1], **SMALL), start=True).name
    record(client, session, "there", frames=3)
    assert "RECORDING_EXISTS" in refused("record", "--session", session, "there")
    assert "OUTPUT_NOT_FOUND" in refused("record", "--session", plain)
    assert "--seconds must be" in refused("record", "--session", session, "--seconds", "0")
    assert "DEVICE_NOT_FOUND" in refused("record", "--device", "devices/nowhere")


def test_recordings_and_spans_are_listed(firstlight_shell):
    client = firstlight_shell.client
    first, second = (recording_session(client, device, **SMALL) for device in SYNTHETIC[:2])
    old = record(client, first, "old", frames=5)[-1].recording
    new = record(client, second, "new", frames=5)[-1].recording
    listed = firstlight_shell.run("recordings")
    assert listed.returncode == 0, listed.stderr
    rows = [re.split(r"\s{2,}", line) for line in listed.stdout.splitlines()]
    assert [(row[1], *row[4:]) for row in rows] == [
        ("finished", new.name, "new.mp4"),
        ("finished", old.name, "old.mp4"),
    ]
    assert rows[1][0] == old.start_time.ToJsonString()
    assert rows[1][2] == f"{old.recorded_duration.ToNanoseconds() / 1e9:.1f} s"
    assert firstlight_shell.run("recordings", "--session", first).stdout.count("\n") == 1
    (span,) = firstlight_shell.run("recordings", "--spans", "--session", first).stdout.splitlines()
    lost = sum(count for _, count in old.dropped.ListFields())
    assert re.split(r"\s{2,}", span)[2:] == [first, "movie", "1 recordings", f"{lost} lost"]
    between = new.request_time.ToJsonString()
    for flag, found in (("--since", new), ("--until", old)):
        (line,) = firstlight_shell.run("recordings", flag, between).stdout.splitlines()
        assert line.endswith(found.file)
    assert firstlight_shell.run("recordings", "--spans", "--until", "0").stdout == ""


def test_a_recording_ends_with_the_program_that_cannot_go_on(firstlight_shell):
    client = firstlight_shell.client
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    with firstlight_shell.begin("record", "--session", session) as program:
        program.stderr.readline()
        # The next line that tells how far the recording is goes nowhere.
        program.stderr.close()
        assert program.wait(timeout=TIMEOUT) == 1
    (recording,) = client.recordings()
    assert recording.state == recording_pb2.Recording.STATE_FINISHED
    assert recording.end.cause == Cause.CAUSE_STOPPED


def test_a_recording_of_another_program_is_stopped_and_deleted(firstlight_shell):
    client = firstlight_shell.client
    movie = firstlight.movie_output(max_pre_roll=1)
    wanted = firstlight.configuration(SYNTHETIC[0], movie=movie, **SMALL)
    session = client.create_session(configuration=wanted, start=True).name
    with firstlight_shell.begin("record", "--session", session, "--pre-roll", "1", "left") as program:
        program.stderr.readline()
        program.kill()
    (recording,) = client.recordings()
    assert recording.pre_roll_duration.ToNanoseconds() > 0
    stopped = firstlight_shell.run("stop", recording.name)
    assert stopped.stdout == f"{recording.name}  left.mp4\n", stopped.stderr
    assert client.recording(recording.name).end.cause == Cause.CAUSE_STOPPED
    assert firstlight_shell.run("delete", recording.name).returncode == 0
    assert list(client.recordings()) == []
    assert "RECORDING_NOT_FOUND" in firstlight_shell.refused("stop", recording.name)


def test_a_list_that_nobody_reads_on_is_no_failure_of_the_program(firstlight_shell):
    session = recording_session(firstlight_shell.client, SYNTHETIC[0], **SMALL)
    record(firstlight_shell.client, session, frames=3)
    with firstlight_shell.begin("recordings") as program:
        program.stdout.close()
        assert program.stderr.read() == ""


def test_a_file_is_fetched_and_never_replaced_without_force(firstlight_shell, tmp_path):
    client, refused = firstlight_shell.client, firstlight_shell.refused
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    recording = record(client, session, frames=5)[-1].recording
    file = tmp_path / "movie.mp4"
    fetched = firstlight_shell.run("download", recording.name, str(file))
    assert fetched.returncode == 0, fetched.stderr
    whole = (firstlight_shell.folder / recording.file).read_bytes()
    assert file.read_bytes() == whole
    assert re.fullmatch(r"[\d.]+ kB of [\d.]+ kB\n", fetched.stderr)
    file.write_bytes(b"precious")
    assert "--force" in refused("download", recording.name, str(file))
    assert "RECORDING_NOT_FOUND" in refused("download", "recordings/none", str(file), "--force")
    assert file.read_bytes() == b"precious"
    assert firstlight_shell.run("download", recording.name, str(file), "--force").returncode == 0
    assert file.read_bytes() == whole
    assert "nowhere" in refused("download", recording.name, str(tmp_path / "nowhere" / "movie.mp4"))
    assert "RECORDING_NOT_FOUND" in refused("download", "recordings/none", str(tmp_path / "none.mp4"))
    assert sorted(path.name for path in tmp_path.glob("*.mp4*")) == ["movie.mp4"]


def test_a_span_is_fetched(firstlight_shell, tmp_path):
    client = firstlight_shell.client
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    recording = record(client, session, frames=20)[-1].recording
    boards = read_movie(firstlight_shell.folder / recording.file).boards
    start = recording.start_time.ToNanoseconds()
    for number, text in enumerate((recording.start_time.ToJsonString(), f"{start // 10**9}.{start % 10**9:09}")):
        file = tmp_path / f"{number}.mp4"
        wanted = ("--session", session, "--start", text, "--duration", "0.34", str(file))
        fetched = firstlight_shell.run("export", *wanted)
        assert fetched.returncode == 0, fetched.stderr
        assert fetched.stdout.startswith(f"{file}: ")
        # The eleventh frame comes after a third of a second, and the twelfth one does not belong to the span.
        assert read_movie(file).boards == boards[:11]
        assert "--force" in firstlight_shell.refused("export", *wanted)
    wrong = firstlight_shell.run("export", "--session", session, "--start", "noon", "--duration", "1", str(file))
    assert wrong.returncode == 2
    assert "noon is neither a time such as" in wrong.stderr
    late = ("--session", session, "--start", "1700000000", "--duration", "1", str(tmp_path / "no.mp4"))
    assert "RECORDING_NOT_FOUND" in firstlight_shell.refused("export", *late)
    assert not (tmp_path / "no.mp4").exists()
