// Composes raw pictures for Tests/Benchmarks/composition/measure.py:
//   composition-bench WIDTH HEIGHT nv12|yuyv RADIUS ROUNDS BELOW ABOVE OUTPUT
//       composes the picture in BELOW with that in ABOVE, at a quarter of its width and height and with round corners,
//       ROUNDS times. Writes the last picture to OUTPUT, and prints the milliseconds of processor time of this thread.
import CaptureCore
import FrameComposition
import Glibc
import Imaging

func fail(_ message: String) -> Never {
  let line = "composition-bench: \(message)\n"
  write(STDERR_FILENO, line, line.utf8.count)
  exit(1)
}

func milliseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
}

func read(_ layout: FrameLayout, from path: String, _ pool: FramePool) -> Picture {
  guard let file = fopen(path, "rb") else { fail("cannot read \(path)") }
  defer { fclose(file) }
  let memory = pool.take(layout.byteCount)!
  guard fread(memory.bytes.baseAddress, 1, layout.byteCount, file) == layout.byteCount else { fail("input too short") }
  return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 8, let width = Int(arguments[0]), let height = Int(arguments[1]),
  let radius = Int(arguments[3]), let rounds = Int(arguments[4]), rounds > 0,
  let layout = FrameLayout.packed(arguments[2] == "yuyv" ? .yuyv : .nv12, Size(width: width, height: height)),
  let composed = FrameLayout.packed(.nv12, layout.size)
else { fail("wrong arguments, see main.swift") }
let pool = FramePool(budget: 256 << 20)
let pictures = [read(layout, from: arguments[5], pool), read(layout, from: arguments[6], pool)]
let quarter = Size(width: width / 4, height: height / 4)
let layers = [
  CompositionLayer(input: "below", rectangle: .init(x: 0, y: 0, size: layout.size)),
  CompositionLayer(
    input: "above",
    rectangle: .init(x: width - quarter.width - 32, y: height - quarter.height - 32, size: quarter),
    order: 1, cornerRadius: radius),
]
let compositor = FrameCompositor(composed, pool: pool)
// The first picture also makes the masks and touches the memory.
var last = try compositor.compose(layers, pictures)
let start = milliseconds()
// As in a session, the picture before is still in use while the next one is composed.
for _ in 0..<rounds { last = try compositor.compose(layers, pictures) }
print(milliseconds() - start)
last.buffer.withUnsafeBytes { bytes in
  guard let file = fopen(arguments[7], "wb"), fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count,
    fclose(file) == 0
  else { fail("cannot write \(arguments[7])") }
}
