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
