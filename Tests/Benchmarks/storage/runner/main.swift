// Writes what a movie would write, for Tests/Benchmarks/storage/measure.py:
//   storage-bench prepare FOLDER MEGABYTES
//       makes a video storage
//   storage-bench storage|plain FOLDER MEGABYTES RATE SYNC
//       writes so many mebibytes to the storage or to a growing file, RATE a second (0: as fast as it goes), and waits
//       for the disk after each SYNC mebibytes. Prints the milliseconds of each write of 512 KiB, and then of each
//       wait, in a line of its own, and the seconds of all.
//
// A program that is killed while it writes to the storage leaves a capture behind, as a daemon does.
import CaptureCore
import Glibc
import Locking
import Logging
import SystemFiles
import VideoCoding
import VideoStorage

let part = 512 << 10

func fail(_ message: String) -> Never {
  let line = "storage-bench: \(message)\n"
  write(STDERR_FILENO, line, line.utf8.count)
  exit(1)
}

func seconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The milliseconds that a call takes.
func measure(_ body: () throws -> Void) rethrows -> Double {
  let start = seconds()
  try body()
  return (seconds() - start) * 1000
}

/// Writes all parts at their times, and prints how long each call took.
func run(
  _ megabytes: Int, rate: Double, sync: Int, write: (UnsafeRawBufferPointer) throws -> Void, flush: () throws -> Void
) rethrows {
  let bytes = [UInt8](repeating: 0x5A, count: part)
  let start = seconds()
  var (writes, waits): ([Double], [Double]) = ([], [])
  for number in 0..<(megabytes << 20) / part {
    if rate > 0 {
      let due = start + Double(number * part) / (rate * Double(1 << 20)) - seconds()
      if due > 0 { usleep(UInt32(due * 1e6)) }
    }
    writes.append(try bytes.withUnsafeBytes { bytes in try measure { try write(bytes) } })
    if (number + 1) * part % (sync << 20) == 0 { waits.append(try measure(flush)) }
  }
  try flush()
  for line in [writes, waits] { print(line.map { "\($0)" }.joined(separator: " ")) }
  print(seconds() - start)
}

let arguments = CommandLine.arguments
guard arguments.count >= 4, let megabytes = Int(arguments[3]) else { fail("see main.swift") }
let (command, folder) = (arguments[1], arguments[2])
var logger = Logger(label: "storage-bench") { StreamLogHandler.standardError(label: $0) }
logger.logLevel = .debug
do {
  switch command {
  case "prepare":
    let storage = VideoStorage(folder: folder, logger: logger)
    await storage.waitForMoves()
    _ = try await storage.setCapacity(Int64(megabytes) << 20)
    let state = await storage.states().first { $0.busyReason == nil }
    guard let state, state.failure == nil else { fail("\(state?.failure?.message ?? "no state")") }
  case "storage", "plain":
    guard arguments.count == 6, let rate = Double(arguments[4]), let sync = Int(arguments[5]) else {
      fail("see main.swift")
    }
    let target = "\(folder)/\(command).movie"
    if command == "storage" {
      let storage = VideoStorage(folder: folder, logger: logger)
      let capture = try await storage.beginCapture(to: target)
      try run(megabytes, rate: rate, sync: sync, write: capture.write, flush: capture.flush)
      try await capture.discard()
    } else {
      let sink = MovieFileSink(Descriptor(owning: open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)))
      try run(megabytes, rate: rate, sync: sync, write: sink.write, flush: sink.sync)
      unlink(target)
    }
  default: fail("no command \(command)")
  }
} catch {
  fail("\(error)")
}
