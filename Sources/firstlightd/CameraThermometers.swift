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
    /// Held a second ago: nothing is asked of a camera that is being launched.
    var former: Set<String> = []
    repeat {
      let held = Set(devices.holders.keys)
      silent.formIntersection(held)
      var readings: [CameraTemperature] = []
      for device in held.intersection(former).subtracting(silent).sorted() {
        // One that is away or in trouble is asked again: the session knows better what to do about it.
        guard let controls = try? await devices.controls(of: device) else { continue }
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
}
