internal import CaptureCore
internal import CaptureSessions
internal import FirstlightServices
internal import Foundation
internal import Imaging
internal import Logging
internal import SystemFiles

/// Finds out how much work this machine can do: from the file of a former run, or at the first start by measuring when
/// the machine is idle.
struct MachineCalibration: Sendable {
  /// The share of all processors' time that must have been idle in the last second before the daemon measures. With one
  /// half, a machine of two cores has one core to spare, and a small machine that always serves a camera is measured at
  /// some time too.
  private static let idleShare = 0.5

  let configuration: DaemonConfiguration
  let folder: DataFolder
  let logger: Logger

  /// Begins the calibration. Returns when the file has been read, so that the first commit knows the result of a former
  /// run. Without a result, the measurement runs in the background and no caller waits for it; the gauge has no
  /// capacity until the measurement is done.
  func begin() async -> MachineGauge {
    await withCheckedContinuation { continuation in
      do throws(CaptureError) {
        try WorkerThread.start(name: "calibration") { calibrate { continuation.resume(returning: $0) } }
      } catch {
        logger.warning(
          "Costs leave out the processor, because nothing measures it.", metadata: ["error.message": "\(error.message)"]
        )
        continuation.resume(returning: MachineGauge())
      }
    }
  }

  /// Calibrates on the calling thread.
  ///
  /// - Parameter fileWasRead: called once, after the file has been read and before anything is measured.
  private func calibrate(fileWasRead: (MachineGauge) -> Void) {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let file = MachineFile(
      folder: folder,
      key: "\(Firstlightd.version) \(MachineFacts.processor(procfs: configuration.folders.procfs)) \(cores)")
    func capacity(_ core: CoreThroughput) -> MachineCapacity {
      MachineCapacity(
        core: core, cores: cores, sustainedShare: MachineFacts.sustainedShare(sysfs: configuration.folders.sysfs))
    }
    if let known = file.read() { return fileWasRead(MachineGauge(capacity(known))) }
    let gauge = MachineGauge()
    // The times are read before the daemon serves, because the wait for an idle machine begins here.
    let times = processorTimes()
    fileWasRead(gauge)
    if let core = measuredWhenIdle(since: times, into: file) { gauge.tell(capacity(core)) }
  }

  private func measuredWhenIdle(since times: ProcessorTimes?, into file: MachineFile) -> CoreThroughput? {
    var former = times
    repeat {
      // The thread waits at least once. The first launch, for which most daemons are started, is over by then.
      Thread.sleep(forTimeInterval: 1)
    } while isBusy(&former)
    // Only the measurement yields. A thread that yields to all others takes seconds to end on a busy machine, and the
    // process ends with its last thread.
    WorkerThread.yieldToAllOthers()
    return measured(into: file)
  }

  /// Whether the machine was busy since `former`, which then becomes the present times.
  private func isBusy(_ former: inout ProcessorTimes?) -> Bool {
    // Where the kernel does not tell the times, only the low priority of this thread keeps the measurement from
    // disturbing other work.
    guard let now = processorTimes() else { return false }
    defer { former = now }
    guard let former, let share = now.idleShare(since: former) else { return true }
    return share < Self.idleShare
  }

  private func processorTimes() -> ProcessorTimes? {
    (try? String(contentsOfFile: configuration.folders.procfs + "/stat", encoding: .utf8)).flatMap {
      ProcessorTimes(stat: $0)
    }
  }

  private func measured(into file: MachineFile) -> CoreThroughput? {
    let core: CoreThroughput
    do { core = try CalibrationWork.measure() } catch {
      logger.warning(
        "The daemon cannot measure the machine.",
        metadata: ["error.message": "\(ErrorMapping.message(of: error))"])
      return nil
    }
    logger.info(
      "The daemon has measured the machine.",
      metadata: [
        "capacity.copied_bytes": "\(Int(core.copiedBytes))",
        "capacity.converted_pixels": "\(Int(core.convertedPixels))",
        "capacity.encoded_pixels": "\(Int(core.encodedPixels))",
      ])
    file.write(core)
    return core
  }
}

/// The work that calibration measures. The daemon does work of these kinds for every frame.
enum CalibrationWork {
  private static let size = Size(width: 1280, height: 720)
  /// The number of bytes in the copying work: more than caches hold, as the frames together are.
  private static let copied = 16 << 20

  /// Measures on the calling thread how much of each kind of work one core does in a second.
  ///
  /// - Throws: the error of a kind of work that fails on this machine.
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
    // The source gets written, because all untouched pages are the same page of zeros, which would stay in the cache.
    source.initializeMemory(as: UInt8.self, repeating: 1)
    return try Calibration.measure(
      copying: .init(units: Double(copied)) { target.copyMemory(from: UnsafeRawBufferPointer(source)) },
      // Programs that analyse pictures ask for 4:2:2 to RGB, which is the most expensive of the usual conversions.
      converting: .init(units: Double(size.pixelCount)) { _ = try converter.convert(packed, to: .xbgr32) },
      encoding: .init(units: Double(size.pixelCount)) { _ = try encoder.encode(planar, quality: 80) })
  }

  /// A picture with detail everywhere, because a flat picture would compress too fast.
  ///
  /// - Throws: `outOfBuffers` when there is no memory for the picture.
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
