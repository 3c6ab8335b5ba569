internal import CaptureCore
internal import CaptureSessions
internal import SystemPressure

/// Asks the cameras that sessions hold how warm they are. Others are left alone, and those that rest: asking would wake
/// them.
struct CameraThermometers: Sendable {
  let devices: DeviceRegistry
  let pressure: PressureMonitor

  /// Until the task is cancelled.
  func run() async {
    /// Of the cameras held now, those without a thermometer. Asking a USB camera for all its controls is no small matter.
    var withoutThermometer: Set<String> = []
    /// Held a second ago: nothing is asked of a camera that is being launched.
    var former: Set<String> = []
    /// Cameras that did not answer, and for how many rounds more they are left alone: each question takes seconds.
    var roundsToSkip: [String: Int] = [:]
    repeat {
      let held = Set(devices.holders.keys).filter { !isAsleep($0) }
      withoutThermometer.formIntersection(held)
      roundsToSkip = roundsToSkip.filter { held.contains($0.key) }
      var readings: [CameraTemperature] = []
      for device in held.intersection(former).subtracting(withoutThermometer).sorted() {
        if let rounds = roundsToSkip[device], rounds > 0 {
          roundsToSkip[device] = rounds - 1
          continue
        }
        let controls: [Control]
        do throws(CaptureError) { controls = try await devices.controls(of: device) } catch {
          // One that is away or in trouble is asked again: the session knows better what to do about it.
          if error.reason == .deviceNotResponding { roundsToSkip[device] = 30 }
          continue
        }
        if let reading = CameraTemperature(device: device, controls: controls) {
          readings.append(reading)
        } else {
          withoutThermometer.insert(device)
        }
      }
      pressure.setCameras(readings)
      former = held
    } while (try? await Task.sleep(for: .seconds(1))) != nil
  }

  /// At shutdown every camera is closed. One that rests for its own heat is asked all the same, or nobody would know when it
  /// has cooled: it would be started again every few seconds.
  private func isAsleep(_ device: String) -> Bool {
    let state = pressure.state(of: .device(device))
    return state.level == .shutdown
      && !state.causes.contains { $0.factor == .cameraTemperature && $0.level == .shutdown && $0.source != "drill" }
  }
}
