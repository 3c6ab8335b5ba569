// Runs the fusion on raw pictures for Tests/Benchmarks/fusion/measure.py:
//   fusion-bench fuse WIDTH HEIGHT COUNT REFERENCE balanced|full ROUNDS INPUT OUTPUT
//       fuses COUNT pictures of planar 4:2:0 and prints the frames used, the noise and the processor time of each round
//   fusion-bench exposures WIDTH HEIGHT COUNT ROUNDS INPUT OUTPUT
//       merges COUNT exposures of planar 4:2:0 and prints the processor and the wall time of each round
//   fusion-bench still WIDTH HEIGHT OUTPUT
//       writes the synthetic camera's still scene without noise, as NV12
import CaptureCore
import Glibc
import Imaging
import PhotoFusion
import SyntheticCapture

func fail(_ message: String) -> Never {
  let line = "fusion-bench: \(message)\n"
  write(STDERR_FILENO, line, line.utf8.count)
  exit(1)
}

func save(_ bytes: UnsafeRawBufferPointer, to path: String) {
  guard let file = fopen(path, "wb"), fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count, fclose(file) == 0
  else { fail("cannot write \(path)") }
}

/// The milliseconds of a clock, by default the processor time of this thread.
func milliseconds(_ clock: clockid_t = CLOCK_THREAD_CPUTIME_ID) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
}

func read(_ count: Int, _ layout: FrameLayout, from path: String, _ pool: FramePool) -> [Picture] {
  guard let file = fopen(path, "rb") else { fail("cannot read \(path)") }
  defer { fclose(file) }
  return (0..<count).map { _ in
    let memory = pool.take(layout.byteCount)!
    guard fread(memory.bytes.baseAddress, 1, layout.byteCount, file) == layout.byteCount else {
      fail("input too short")
    }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }
}

func fuse(_ arguments: [String]) throws {
  guard arguments.count == 8, let width = Int(arguments[0]), let height = Int(arguments[1]),
    let count = Int(arguments[2]), let reference = Int(arguments[3]), let rounds = Int(arguments[5]), rounds > 0,
    let layout = FrameLayout.packed(.yuv420, Size(width: width, height: height))
  else { fail("wrong arguments, see main.swift") }
  let pool = FramePool(budget: 1 << 30)
  let frames = read(count, layout, from: arguments[6], pool)
  let fusion = FrameFusion(pool: pool)
  var times: [Double] = []
  var result: FusedPicture?
  for _ in 0..<rounds {
    result = nil
    fusion.releaseMemory()
    let start = milliseconds()
    result = try fusion.fuse(
      frames, reference: reference, strength: arguments[4] == "balanced" ? .balanced : .full)
    times.append(milliseconds() - start)
  }
  let start = milliseconds()
  let fused = try fusion.fuse(frames, reference: reference, strength: arguments[4] == "balanced" ? .balanced : .full)
  let cached = milliseconds() - start
  fused.picture.buffer.withUnsafeBytes { save($0, to: arguments[7]) }
  let (noise, list) = (fused.noise, times.map { "\($0)" }.joined(separator: ", "))
  print(
    "{\"frames\": \(fused.frameCount), \"deviation\": \(noise.deviation(luma: 126)), \"read\": \(noise.read), "
      + "\"shot\": \(noise.shot), \"chroma\": \(noise.chroma.squareRoot()), \"cached\": \(cached), "
      + "\"milliseconds\": [\(list)]}")
  withExtendedLifetime(result) {}
}

func mergeExposures(_ arguments: [String]) throws {
  guard arguments.count == 6, let width = Int(arguments[0]), let height = Int(arguments[1]),
    let count = Int(arguments[2]), let rounds = Int(arguments[3]), rounds > 0,
    let layout = FrameLayout.packed(.yuv420, Size(width: width, height: height))
  else { fail("wrong arguments, see main.swift") }
  let pool = FramePool(budget: 1 << 30)
  let frames = read(count, layout, from: arguments[4], pool)
  var (times, walls): ([Double], [Double]) = ([], [])
  var result: Picture?
  for _ in 0..<rounds {
    result = nil
    let (start, wall) = (milliseconds(), milliseconds(CLOCK_MONOTONIC))
    result = try ExposureFusion(pool: pool).fuse(frames, reference: count / 2).picture
    times.append(milliseconds() - start)
    walls.append(milliseconds(CLOCK_MONOTONIC) - wall)
  }
  result?.buffer.withUnsafeBytes { save($0, to: arguments[5]) }
  print("{\"milliseconds\": \(times), \"wall\": \(walls)}")
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "fuse": try fuse(Array(arguments.dropFirst()))
case "exposures": try mergeExposures(Array(arguments.dropFirst()))
case "still":
  guard arguments.count == 4, let width = Int(arguments[1]), let height = Int(arguments[2]),
    let truth = StillScene.truth(pixelFormat: .nv12, size: Size(width: width, height: height))
  else { fail("wrong arguments, see main.swift") }
  truth.withUnsafeBytes { save($0, to: arguments[3]) }
default: fail("wrong arguments, see main.swift")
}
