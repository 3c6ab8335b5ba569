"""Measures the gain and the cost of fusing a burst, beside OpenCV's non-local means over the same frames.

Each burst is eight frames, of which the fifth is the reference. The shake of a hand moves the frames by up to 3 pixels
in each direction, with parts of a pixel. The noise is that of the synthetic camera (SensorNoise.swift). The scenes are
the synthetic camera's still scene and photographs of scikit-image, with or without a moving object in front. Gains are
in decibels of PSNR over the reference alone, of luma, and of all three colours of the picture as a viewer decodes it.
For merging an exposure bracket only the time is measured. The program fails when a bound is missed.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import cv2
import numpy as np
import skimage.data

ROOT = pathlib.Path(__file__).resolve().parents[3]
RUNNER = ROOT / ".build/release/fusion-bench"
COUNT, REFERENCE, REACH, MARGIN = 8, 4, 3, 12
LEVELS = (4, 7, 10)
PHOTOGRAPHS = ("astronaut", "coffee", "chelsea", "rocket")
# The least gains over a single frame in decibels: at rest, with a moving object, and at the place of that object.
STILL, MOVING, OBJECT = 6.5, 6.0, 0.0
# The largest share of the processor time of non-local means, and the most milliseconds for eight frames of 1080p and
# for three exposures.
SHARE, BUDGET, EXPOSURES_BUDGET = 0.2, 210, 65

Planes = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclasses.dataclass
class Burst:
    """The frames of a burst, and the truth that they show."""

    frames: list[Planes]
    # The reference without noise, not rounded.
    truth: Planes
    # The part of the picture below the timecode board, and the part that the moving object covers.
    area: np.ndarray
    moving: np.ndarray | None = None

    @property
    def size(self) -> tuple[int, int]:
        """The width and height."""
        return self.truth[0].shape[1], self.truth[0].shape[0]


def planes_of(rgb: np.ndarray) -> np.ndarray:
    """The planes of a picture in limited-range BT.601, at full size, not rounded."""
    matrix = np.array([[65.481, 128.553, 24.966], [-37.797, -74.203, 112], [112, -93.786, -18.214]]) / 255
    return np.moveaxis(rgb @ matrix.T + [16, 128, 128], -1, 0).astype(np.float32)


def seen(scene: np.ndarray, dx: float, dy: float) -> np.ndarray:
    """The camera's view of a larger scene, moved by so many pixels to the right and down."""
    height, width = (length - 2 * MARGIN for length in scene.shape[1:])
    look = np.array([[1, 0, MARGIN + dx], [0, 1, MARGIN + dy]], np.float32)
    flags = cv2.INTER_LANCZOS4 | cv2.WARP_INVERSE_MAP
    return np.stack([cv2.warpAffine(plane, look, (width, height), flags=flags) for plane in scene])


def halved(plane: np.ndarray) -> np.ndarray:
    """The chroma of 4:2:0, from chroma at full size."""
    return (plane[0::2, 0::2] + plane[1::2, 0::2] + plane[0::2, 1::2] + plane[1::2, 1::2]) / 4


def exposed(planes: Planes, level: float, random: np.random.Generator) -> Planes:
    """The planes with shot and read noise as in SensorNoise.swift."""
    deviation = level * np.sqrt(0.2 + 0.8 * np.maximum(0, planes[0] - 16) / 110)
    deviations = (deviation, level / 2, level / 2)
    return tuple(
        np.clip(np.rint(plane + random.standard_normal(plane.shape) * sigma), 0, 255).astype(np.uint8)
        for plane, sigma in zip(planes, deviations, strict=True)
    )


def burst(scene: np.ndarray, level: float, thing: np.ndarray | None, board: int, seed: int) -> Burst:
    """A burst of `scene`, which has MARGIN on each side. In the burst `thing` moves by six pixels and two lines per
    frame.
    """
    random = np.random.default_rng(seed)
    shake = random.uniform(-REACH, REACH, (COUNT, 2))
    shake[REFERENCE] = 0
    frames, truth, moving = [], None, None
    for index in range(COUNT):
        picture = seen(scene, *shake[index])
        if thing is not None:
            x, y = (picture.shape[2] // 4 + 6 * (index - REFERENCE), picture.shape[1] // 3 + 2 * (index - REFERENCE))
            place = np.s_[y : y + thing.shape[1], x : x + thing.shape[2]]
            picture[:, *place] = thing
        planes = (picture[0], halved(picture[1]), halved(picture[2]))
        frames.append(exposed(planes, level, random))
        if index == REFERENCE:
            truth = planes
            if thing is not None:
                moving = np.zeros(picture.shape[1:], bool)
                moving[place] = True
    assert truth is not None
    area = np.zeros(truth[0].shape, bool)
    area[board:] = True
    return Burst(frames, truth, area, moving)


def photograph(name: str) -> np.ndarray:
    """A photograph as planes, cut to whole blocks and the margin."""
    rgb = getattr(skimage.data, name)()[..., :3]
    height, width = ((length - 2 * MARGIN) // 16 * 16 + 2 * MARGIN for length in rgb.shape[:2])
    return planes_of(rgb[:height, :width])


def still_scene(width: int, height: int, folder: pathlib.Path) -> np.ndarray:
    """The chart of the synthetic camera without the timecode board."""
    width, height, path = width + 2 * MARGIN, height + 2 * MARGIN, folder / "still"
    subprocess.run([RUNNER, "still", str(width), str(height), path], check=True)
    raw = np.fromfile(path, np.uint8)
    luma = raw[: width * height].reshape(height, width)
    chroma = raw[width * height :].reshape(height // 2, width // 2, 2)
    full = [chroma[..., i].repeat(2, axis=0).repeat(2, axis=1) for i in range(2)]
    return np.stack([luma, *full]).astype(np.float32)


def write(frames: list[Planes], path: pathlib.Path) -> None:
    """Writes frames into one file of planar 4:2:0."""
    path.write_bytes(b"".join(plane.tobytes() for frame in frames for plane in frame))


def fuse(b: Burst, strength: str, folder: pathlib.Path, rounds: int = 3) -> tuple[Planes, dict]:
    """The fused picture, and the figures that the runner printed."""
    width, height = b.size
    write(b.frames, folder / "in")
    numbers = [str(number) for number in (width, height, COUNT, REFERENCE)]
    command = [RUNNER, "fuse", *numbers, strength, str(rounds), folder / "in", folder / "out"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    raw = np.fromfile(folder / "out", np.uint8)
    y, u, v = np.split(raw, [width * height, width * height * 5 // 4])
    chroma = (height // 2, width // 2)
    return (y.reshape(height, width), u.reshape(chroma), v.reshape(chroma)), told


def merge(b: Burst, stops: tuple[int, ...], folder: pathlib.Path, rounds: int = 7) -> dict:
    """The times for merging exposures of the truth, in milliseconds. Each exposure is `stops` stops brighter than the
    truth.
    """
    width, height = b.size
    luma, *chroma = b.truth
    frames = []
    for stop in stops:
        brighter = (16 + (luma - 16) * 2.0**stop, *(128 + (plane - 128) * 2.0**stop for plane in chroma))
        frames.append(tuple(np.clip(np.rint(plane), 16, 235).astype(np.uint8) for plane in brighter))
    write(frames, folder / "in")
    numbers = [str(number) for number in (width, height, len(stops), rounds)]
    command = [RUNNER, "exposures", *numbers, folder / "in", folder / "out"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def in_colour(planes: Planes) -> np.ndarray:
    """Blue, green and red as a viewer decodes them."""
    rounded = [np.clip(np.rint(plane), 0, 255).astype(np.uint8) for plane in planes]
    raw = np.concatenate([plane.ravel() for plane in rounded])
    return cv2.cvtColor(raw.reshape(-1, planes[0].shape[1]), cv2.COLOR_YUV2BGR_I420)


def quality(picture: np.ndarray, truth: np.ndarray, area: np.ndarray) -> float:
    """The peak signal-to-noise ratio in decibels."""
    error = (picture[area].astype(np.float64) - truth[area]) ** 2
    return 10 * np.log10(255**2 / error.mean())


def non_local_means(b: Burst, level: float) -> tuple[np.ndarray, float]:
    """OpenCV's result over seven frames, since it needs an odd number, and its processor seconds. `h` and `hColor` are
    the deviation of the noise.
    """
    frames = [in_colour(frame) for frame in b.frames[1:]]
    cv2.setNumThreads(1)
    start = time.process_time()
    picture = cv2.fastNlMeansDenoisingColoredMulti(frames, REFERENCE - 1, len(frames), None, level, level, 7, 21)
    return picture, time.process_time() - start


class Bounds:
    """The bounds that were missed."""

    def __init__(self) -> None:
        self.missed: list[str] = []

    def least(self, what: str, value: float, bound: float) -> None:
        """Notes `what` as missed when `value` is less than `bound`."""
        if value < bound:
            self.missed.append(f"{what}: {value:.2f}, at least {bound:g} wanted")


def measure(name: str, b: Burst, level: float, folder: pathlib.Path, bounds: Bounds, compares: bool) -> None:
    """Prints a line for one burst, and checks its bounds."""
    truth, colour = b.truth[0], in_colour(b.truth)
    single, single_colour = b.frames[REFERENCE][0], in_colour(b.frames[REFERENCE])
    before, before_colour = quality(single, truth, b.area), quality(single_colour, colour, b.area)
    line = f"{name:22} {level:3}  {before:5.2f} dB"
    for strength in ("balanced", "full"):
        planes, told = fuse(b, strength, folder)
        gain = quality(planes[0], truth, b.area) - before
        fused = quality(in_colour(planes), colour, b.area)
        line += f" | {strength} {gain:5.2f} luma {fused - before_colour:5.2f} colour"
    bounds.least(f"{name} at {level}", gain, STILL if b.moving is None else MOVING)
    if b.moving is not None:
        here = quality(planes[0], truth, b.moving) - quality(single, truth, b.moving)
        bounds.least(f"{name} at {level}, the object", here, OBJECT)
        line += f" {here:5.2f} object"
    cost = min(told["milliseconds"]) / 1000
    if compares:
        picture, other_cost = non_local_means(b, level)
        other = quality(picture, colour, b.area) - before_colour
        line += f" | means {other:5.2f} colour at {other_cost / cost:4.0f} times the cost"
        bounds.least(f"{name} at {level} over non-local means", fused - before_colour - other, 0)
        bounds.least(f"{name} at {level}, its cost over ours", other_cost / cost, 1 / SHARE)
    print(line, flush=True)


def main() -> None:
    """Measures everything, and fails when a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--without-means", action="store_true", help="leave non-local means out: they take minutes")
    arguments = parser.parse_args()
    bounds = Bounds()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        chart = still_scene(640, 480, folder)
        face = skimage.data.astronaut()[0:256, 96:352, :3]
        thing = planes_of(cv2.resize(face, (96, 96), interpolation=cv2.INTER_AREA))
        scenes = {"still scene": (chart, 80), **{name: (photograph(name), 0) for name in PHOTOGRAPHS}}
        print("single frame's PSNR | gains over it, in decibels")
        for title, (scene, board) in scenes.items():
            for level in LEVELS:
                compares = not arguments.without_means
                measure(title, burst(scene, level, None, board, 1), level, folder, bounds, compares)
                measure(f"{title}, moving", burst(scene, level, thing, board, 2), level, folder, bounds, compares)
        large = burst(still_scene(1920, 1080, folder), 5, None, 180, 3)
        for strength in ("balanced", "full"):
            told = fuse(large, strength, folder, rounds=7)[1]
            cost = min(told["milliseconds"])
            print(
                f"1080p, {strength}: {cost:.0f} ms of processor, {told['cached']:.0f} with the frames prepared before"
            )
            if cost > BUDGET:
                bounds.missed.append(f"1080p, {strength}: {cost:.0f} ms, at most {BUDGET} wanted")
        told = merge(large, (-2, 0, 2), folder)
        cost, wall = min(told["milliseconds"]), min(told["wall"])
        print(f"1080p, three exposures: {cost:.0f} ms of processor, {wall:.0f} by the clock")
        if cost > EXPOSURES_BUDGET:
            bounds.missed.append(f"1080p, three exposures: {cost:.0f} ms, at most {EXPOSURES_BUDGET} wanted")
    if bounds.missed:
        sys.exit("missed:\n  " + "\n  ".join(bounds.missed))


if __name__ == "__main__":
    main()
