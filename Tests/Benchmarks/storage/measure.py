"""Compares writing to the video storage with writing a growing file, while stress-ng keeps the disk busy, and its
throughput with that of fio. Fails when a bound is missed.

Both write 512 KiB at a time at the rate of a movie in ProRes, and wait for the disk after 80 MB, as a movie does after
each fragment. They take turns, in the opposite order every other time. What counts is how long the program that writes
is held up: the longest of 1,000 writes, and all writes and waits together. fio writes as many blocks of that size at
once to a file whose blocks were written before, and waits for the disk at its end, as the storage does here.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests/Benchmarks"))

from bounds import Bounds  # noqa: E402

RUNNER = ROOT / ".build/release/storage-bench"
#: Mebibytes that are written in a round, mebibytes a second, and mebibytes between two waits.
AMOUNT, RATE, SYNC = 1024, 40, 80
#: The least share of the throughput of fio.
SHARE = 0.9
#: The most of the 99.9th percentile of the writes to a growing file that those to the storage take.
TAIL = 0.25


@contextlib.contextmanager
def busy_disk(folder: pathlib.Path) -> Iterator[None]:
    """Keeps the disk busy."""
    load = ["--hdd", "2", "--hdd-bytes", "512M", "--iomix", "1", "--temp-path", str(folder)]
    with subprocess.Popen(["stress-ng", "--quiet", *load]) as process:
        try:
            yield
        finally:
            process.terminate()


def write(kind: str, folder: pathlib.Path, rate: int, sync: int) -> tuple[list[float], list[float], float]:
    """The milliseconds of all writes and of all waits, and the seconds of all together."""
    command = [RUNNER, kind, folder, str(AMOUNT), str(rate), str(sync)]
    ended = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    writes, waits, seconds = ended.stdout.splitlines()
    return [float(text) for text in writes.split()], [float(text) for text in waits.split()], float(seconds)


def at(share: float, ordered: list[float]) -> float:
    """A percentile."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def fio(folder: pathlib.Path) -> float:
    """The mebibytes a second of fio."""
    file = folder / "fio.dat"
    command = ["fio", "--name=peer", f"--filename={file}", "--rw=write", "--bs=512k", f"--size={AMOUNT}m"]
    direct = ["--direct=1", "--ioengine=io_uring", "--iodepth=32", "--overwrite=1", "--end_fsync=1"]
    ended = subprocess.run([*command, *direct, "--output-format=json"], check=True, stdout=subprocess.PIPE, text=True)
    file.unlink()
    return json.loads(ended.stdout)["jobs"][0]["write"]["bw"] / 1024


def main() -> None:
    """Measures, prints and judges."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--throughput", action="store_true", help="measure the throughput alone")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / ".build", help="a folder on the disk")
    options = parser.parse_args()
    bounds = Bounds()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        subprocess.run([RUNNER, "prepare", folder, str(AMOUNT)], check=True)
        speeds: dict[str, list[float]] = {"storage": [], "fio": []}
        for turn in range(3 * options.rounds):
            for peer in sorted(speeds, reverse=turn % 2 == 1):
                # A second or less each, so there are more of them.
                seconds = AMOUNT / fio(folder) if peer == "fio" else write("storage", folder, 0, AMOUNT)[2]
                speeds[peer].append(AMOUNT / seconds)
        ours, peers = (statistics.median(speeds[peer]) for peer in ("storage", "fio"))
        print(f"throughput: {ours:.0f} MiB/s, fio {peers:.0f} MiB/s")
        bounds.check(ours >= SHARE * peers, f"throughput {ours:.0f} MiB/s is below {SHARE} of {peers:.0f} MiB/s")
        if options.throughput:
            sys.exit(bounds.ending())
        found: dict[str, tuple[list[float], list[float]]] = {"plain": ([], []), "storage": ([], [])}
        with busy_disk(folder):
            for turn in range(options.rounds):
                for kind in sorted(found, reverse=turn % 2 == 1):
                    for all_of_them, some in zip(found[kind], write(kind, folder, RATE, SYNC)[:2], strict=True):
                        all_of_them.extend(some)
        tails, held = {}, {}
        for kind, (writes, waits) in found.items():
            writes.sort()
            waits.sort()
            tails[kind] = at(0.999, writes)
            held[kind] = (sum(writes) + sum(waits)) / (options.rounds * AMOUNT / RATE)
            print(
                f"{kind} beside stress-ng: writes p50 {at(0.5, writes):.2f} ms, p99.9 {tails[kind]:.1f} ms, "
                f"longest {writes[-1]:.1f} ms; waits p50 {at(0.5, waits):.1f} ms, longest {waits[-1]:.1f} ms; "
                f"together {held[kind]:.1f} ms a second"
            )
        share = tails["storage"] / tails["plain"]
        print(f"writes at p99.9: {share:.2f} of those of a growing file, at most {TAIL}")
        bounds.check(share <= TAIL, f"writes take {share:.2f} of those of a growing file at p99.9")
        ours, theirs = held["storage"], held["plain"]
        bounds.check(ours < theirs, f"a program waits {ours:.1f} ms a second, with a growing file {theirs:.1f} ms")
    sys.exit(bounds.ending())


if __name__ == "__main__":
    main()
