internal import CaptureCore
internal import CaptureSessions
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
      logger.warning("The daemon cannot measure the machine.", metadata: ["error.message": "\(error)"])
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
