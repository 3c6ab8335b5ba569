internal import CaptureCore
internal import CaptureSession
internal import SystemPressure

/// Asks the cameras that sessions hold how warm they are. Others are left alone, and those that rest: asking would wake
/// them.
struct CameraThermometers: Sendable {
  let devices: DeviceRegistry
  let pressure: PressureMonitor

  /// Until the task is cancelled.
  func run() async {
    /// Of the cameras held now, those that do not tell. Asking a USB camera for all it has is no small matter.
    var silent: Set<String> = []
    /// Held a second ago: nothing is asked of a camera that is being launched.
    var former: Set<String> = []
    /// Rounds that cameras which did not answer are left alone: each vain question keeps all others waiting for seconds.
    var deaf: [String: Int] = [:]
    repeat {
      let held = Set(devices.holders.keys).filter { !isAsleep($0) }
      silent.formIntersection(held)
      deaf = deaf.filter { held.contains($0.key) }
      var readings: [CameraTemperature] = []
      for device in held.intersection(former).subtracting(silent).sorted() {
        if let rounds = deaf[device], rounds > 0 {
          deaf[device] = rounds - 1
          continue
        }
        let controls: [Control]
        do throws(CaptureError) { controls = try await devices.controls(of: device) } catch {
          // One that is away or in trouble is asked again: the session knows better what to do about it.
          if error.reason == .deviceNotResponding { deaf[device] = 30 }
          continue
        }
        if let reading = CameraTemperature(device: device, controls: controls) {
          readings.append(reading)
        } else {
          silent.insert(device)
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
