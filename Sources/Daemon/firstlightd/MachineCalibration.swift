internal import CaptureCore
internal import CaptureSessions
internal import Foundation
internal import Imaging
internal import Logging

/// Finds out what this machine can do: from its file, or by measuring, at the first start, when it has nothing else to do.
struct MachineCalibration: Sendable {
  /// How much of all processors' time must have been idle in the last second. With half of it a machine of two cores has one
  /// to spare, and a small machine that serves a camera for ever comes to be measured, too.
  private static let idleShare = 0.5

  let configuration: DaemonConfiguration
  let folder: DataFolder
  let logger: Logger

  /// Returns when the file has been read: what a former run measured is known from the first commit on. Measuring goes on in the
  /// background, and nobody waits for it: until it is done, what the gauge tells is unknown.
  func begin() async -> MachineGauge {
    await withCheckedContinuation { continuation in
      do throws(CaptureError) {
        try WorkerThread.start(name: "calibration") { calibrate { continuation.resume(returning: $0) } }
      } catch {
        logger.warning("costs have no part of the processor", metadata: ["cause": "\(error.message)"])
        continuation.resume(returning: MachineGauge())
      }
    }
  }

  /// - Parameter fileWasRead: called once, before anything is measured.
  private func calibrate(fileWasRead: (MachineGauge) -> Void) {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let file = MachineFile(
      folder: folder,
      key: "\(Firstlightd.version) \(MachineFacts.processor(procfs: configuration.procfsRoot)) \(cores)")
    func capacity(_ core: CoreThroughput) -> MachineCapacity {
      MachineCapacity(
        core: core, cores: cores, sustainedShare: MachineFacts.sustainedShare(sysfs: configuration.sysfsRoot))
    }
    if let known = file.read() { return fileWasRead(MachineGauge(capacity(known))) }
    let gauge = MachineGauge()
    // Before the daemon serves: the idle time that is looked for counts from here.
    let times = processorTimes()
    fileWasRead(gauge)
    if let core = measuredWhenIdle(since: times, into: file) { gauge.tell(capacity(core)) }
  }

  private func measuredWhenIdle(since times: ProcessorTimes?, into file: MachineFile) -> CoreThroughput? {
    WorkerThread.yieldToAllOthers()
    var former = times
    repeat {
      // At least once: the first launch, which most daemons are started for, is over then.
      Thread.sleep(forTimeInterval: 1)
    } while isBusy(&former)
    return measured(into: file)
  }

  /// Whether the machine had something to do since `former`, which becomes what is now.
  private func isBusy(_ former: inout ProcessorTimes?) -> Bool {
    // Where the kernel does not tell, this thread's priority alone keeps it out of everybody's way.
    guard let now = processorTimes() else { return false }
    defer { former = now }
    guard let former, let share = now.idleShare(since: former) else { return true }
    return share < Self.idleShare
  }

  private func processorTimes() -> ProcessorTimes? {
    (try? String(contentsOfFile: configuration.procfsRoot + "/stat", encoding: .utf8)).flatMap {
      ProcessorTimes(stat: $0)
    }
  }

  private func measured(into file: MachineFile) -> CoreThroughput? {
    let core: CoreThroughput
    do { core = try CalibrationWork.measure() } catch {
      logger.warning("the machine could not be measured", metadata: ["cause": "\(error)"])
      return nil
    }
    logger.info(
      "measured this machine",
      metadata: [
        "copied_bytes": "\(Int(core.copiedBytes))", "converted_pixels": "\(Int(core.convertedPixels))",
        "encoded_pixels": "\(Int(core.encodedPixels))",
      ])
    file.write(core)
    return core
  }
}

/// The work that is measured: what the daemon does for every frame.
enum CalibrationWork {
  private static let size = Size(width: 1280, height: 720)
  /// Larger than what caches hold, as frames together are.
  private static let copied = 16 << 20

  static func measure() throws -> CoreThroughput {
    let pool = FramePool(budget: 4 * size.pixelCount * 4)
    let (encoder, converter) = (JPEGEncoder(pool: pool), PictureConverter(pool: pool))
    let (planar, packed) = (try picture(.nv12, pool), try picture(.yuyv, pool))
    let source = UnsafeMutableRawBufferPointer.allocate(byteCount: copied, alignment: 4096)
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: copied, alignment: 4096)
    defer {
      source.deallocate()
      target.deallocate()
    }
    // Untouched pages are all the same page of zeros, which would be in the cache.
    source.initializeMemory(as: UInt8.self, repeating: 1)
    return try Calibration.measure(
      copying: .init(units: Double(copied)) { target.copyMemory(from: UnsafeRawBufferPointer(source)) },
      // 4:2:2 to RGB is what programs that analyse pictures ask for, and the dearest that is usual.
      converting: .init(units: Double(size.pixelCount)) { _ = try converter.convert(packed, to: .xbgr32) },
      encoding: .init(units: Double(size.pixelCount)) { _ = try encoder.encode(planar, quality: 80) })
  }

  /// A picture with detail everywhere: a flat one would compress too fast.
  private static func picture(_ format: PixelFormat, _ pool: FramePool) throws(CaptureError) -> Picture {
    guard let layout = FrameLayout.packed(format, size), let memory = pool.take(layout.byteCount) else {
      throw CaptureError(.outOfBuffers, "There is no memory for a picture of \(size).")
    }
    let bytes = memory.bytes
    var noise: UInt32 = 1
    for index in 0..<layout.byteCount {
      noise = noise &* 1_664_525 &+ 1_013_904_223
      bytes[index] = UInt8(truncatingIfNeeded: 64 + (index >> 4 & 0x3f) + Int(noise >> 29))
    }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }
}
