internal import CaptureCore
internal import CaptureSession
internal import SystemPressure

/// Asks the cameras that sessions hold how warm they are. Others are left alone: asking would wake them.
struct CameraThermometers: Sendable {
  let devices: DeviceRegistry
  let pressure: PressureMonitor

  /// Until the task is cancelled.
  func run() async {
    /// Of the cameras held now, those that do not tell. Asking a USB camera for all it has is no small matter.
    var silent: Set<String> = []
    repeat {
      let held = devices.holders.keys.sorted()
      silent.formIntersection(held)
      var readings: [CameraTemperature] = []
      for device in held where !silent.contains(device) {
        // One that is away or in trouble is asked again: the session knows better what to do about it.
        guard let controls = try? await devices.controls(of: device) else { continue }
        if let reading = CameraTemperature(device: device, controls: controls) {
          readings.append(reading)
        } else {
          silent.insert(device)
        }
      }
      pressure.setCameras(readings)
    } while (try? await Task.sleep(for: .seconds(1))) != nil
  }
}
