internal import CaptureCore
internal import CaptureSessions
internal import SystemPressure

/// Asks cameras for their temperature and tells the answers to the pressure monitor. Asks only cameras that a session
/// holds and that do not rest, because a question would wake any other camera.
struct CameraThermometers: Sendable {
  let devices: DeviceRegistry
  let pressure: PressureMonitor

  /// Asks once a second until the task is cancelled.
  func run() async {
    /// The held cameras that have no thermometer. These cameras are not asked again while a session holds them, because
    /// asking a USB camera for all its controls takes much time.
    var withoutThermometer: Set<String> = []
    /// The cameras that were held a second ago. A camera that was not held then may still be launching, and is not
    /// asked.
    var former: Set<String> = []
    /// The cameras that did not answer, and for how many more rounds each of these cameras is not asked, because each
    /// question to such a camera takes seconds.
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
          // A camera that is away or in trouble is asked again in the next round, because its session decides what to
          // do about the camera. Only a camera that does not respond is left out for 30 rounds.
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

  /// Whether the camera is closed because of shutdown pressure, so that it must not be asked.
  ///
  /// At shutdown pressure, sessions close every camera. A camera that rests because of its own heat is asked all the
  /// same: without an answer, the monitor would not know when the camera has cooled, and the session would start the
  /// camera again every few seconds.
  private func isAsleep(_ device: String) -> Bool {
    let state = pressure.state(of: .device(device))
    return state.level == .shutdown
      && !state.causes.contains { $0.factor == .cameraTemperature && $0.level == .shutdown && $0.source != "drill" }
  }
}
