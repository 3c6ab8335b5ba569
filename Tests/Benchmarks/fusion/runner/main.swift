// Runs the fusion on raw pictures for Tests/Benchmarks/fusion/measure.py:
//   fusion-bench fuse WIDTH HEIGHT COUNT REFERENCE balanced|full ROUNDS INPUT OUTPUT
//       fuses COUNT pictures of planar 4:2:0 and prints the frames used, the noise and the processor time of each round
//   fusion-bench still WIDTH HEIGHT OUTPUT
//       writes what the synthetic camera's still scene looks like without noise, as NV12
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

/// Milliseconds on a processor, of this thread.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
}

func fuse(_ arguments: [String]) throws {
  guard arguments.count == 8, let width = Int(arguments[0]), let height = Int(arguments[1]),
    let count = Int(arguments[2]), let reference = Int(arguments[3]), let rounds = Int(arguments[5]), rounds > 0,
    let layout = FrameLayout.packed(.yuv420, Size(width: width, height: height)),
    let file = fopen(arguments[6], "rb")
  else { fail("wrong arguments, see main.swift") }
  let pool = FramePool(budget: 1 << 30)
  let frames = (0..<count).map { _ in
    let memory = pool.take(layout.byteCount)!
    guard fread(memory.bytes.baseAddress, 1, layout.byteCount, file) == layout.byteCount else {
      fail("input too short")
    }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }
  let fusion = FrameFusion(pool: pool)
  var times: [Double] = []
  var result: FusedPicture?
  for _ in 0..<rounds {
    result = nil
    fusion.releaseMemory()
    let start = processorTime()
    result = try fusion.fuse(
      frames, reference: reference, strength: arguments[4] == "balanced" ? .balanced : .full)
    times.append(processorTime() - start)
  }
  let start = processorTime()
  let fused = try fusion.fuse(frames, reference: reference, strength: arguments[4] == "balanced" ? .balanced : .full)
  let cached = processorTime() - start
  fused.picture.buffer.withUnsafeBytes { save($0, to: arguments[7]) }
  let (noise, list) = (fused.noise, times.map { "\($0)" }.joined(separator: ", "))
  print(
    "{\"frames\": \(fused.frameCount), \"deviation\": \(noise.deviation(luma: 126)), \"read\": \(noise.read), "
      + "\"shot\": \(noise.shot), \"chroma\": \(noise.chroma.squareRoot()), \"cached\": \(cached), "
      + "\"milliseconds\": [\(list)]}")
  withExtendedLifetime(result) {}
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "fuse": try fuse(Array(arguments.dropFirst()))
case "still":
  guard arguments.count == 4, let width = Int(arguments[1]), let height = Int(arguments[2]),
    let truth = StillScene.truth(pixelFormat: .nv12, size: Size(width: width, height: height))
  else { fail("wrong arguments, see main.swift") }
  truth.withUnsafeBytes { save($0, to: arguments[3]) }
default: fail("wrong arguments, see main.swift")
}
