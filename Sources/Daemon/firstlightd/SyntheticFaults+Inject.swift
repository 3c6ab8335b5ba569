internal import CaptureCore
internal import FirstlightServices
internal import SyntheticCapture

extension SyntheticFaults {
  /// Injects the fault that an operator asked for.
  ///
  /// - Throws: `deviceNotFound` when `deviceID` is not a synthetic camera.
  func inject(_ fault: InjectedFault, into deviceID: String) async throws {
    switch fault {
    case .unplug: try unplug(deviceID)
    case .replug: try replug(deviceID)
    case .stall(let nanoseconds): try stall(deviceID, for: .nanoseconds(nanoseconds))
    case .late(let nanoseconds): try late(deviceID, by: .nanoseconds(nanoseconds))
    case .drop(let frames): try drop(deviceID, frames: frames)
    case .corrupt(let frames): try corrupt(deviceID, frames: frames)
    case .startLatency(let nanoseconds): try slowStart(deviceID, by: .nanoseconds(nanoseconds))
    case .outputInitDelay(let nanoseconds, let output):
      try slowOutputs(deviceID, by: .nanoseconds(nanoseconds), output: output)
    case .settling(let frames): try settle(deviceID, over: frames)
    }
  }
}
