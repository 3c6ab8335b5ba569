import AudioCapture
import CaptureCore
import FirstlightServices
import SyntheticCapture
import Testing

@testable import firstlightd

/// Which synthetic device has a fault that an operator asks for.
@Suite struct SyntheticDeviceFaultsTests {
  private static let ofCameras: [InjectedFault] = [
    .late(0), .drop(1), .corrupt(1), .startLatency(0), .outputInitDelay(0, output: nil), .settling(0),
  ]
  private static let ofMicrophones: [InjectedFault] = [.loseSound(0, suspended: false), .cardClock(0)]

  private let cameras = SyntheticDeviceProvider(count: 1)
  private let microphones = SyntheticMicrophoneProvider(count: 1)
  private var both: SyntheticDeviceFaults {
    SyntheticDeviceFaults(cameras: cameras.faults, microphones: microphones.faults)
  }

  @Test(arguments: ofCameras + [.stall(0), .unplug, .replug]) func aCameraHasAllItsFaultsBesideMicrophones(
    _ fault: InjectedFault
  ) async throws {
    try await both.inject(fault, into: "synthetic-0")
  }

  @Test(arguments: ofMicrophones + [.stall(0), .unplug, .replug]) func aMicrophoneHasAllItsFaultsBesideCameras(
    _ fault: InjectedFault
  ) async throws {
    try await both.inject(fault, into: "synthetic-microphone-0")
  }

  @Test(arguments: ofMicrophones.map { ("synthetic-0", $0) } + ofCameras.map { ("synthetic-microphone-0", $0) })
  func aDeviceHasNoFaultOfTheOtherKind(_ device: String, _ fault: InjectedFault) async throws {
    let error = await #expect(throws: CaptureError.self) { try await both.inject(fault, into: device) }
    #expect(error?.reason == .invalidArgument)
  }

  @Test(arguments: [true, false]) func whatIsNoSyntheticDeviceIsNotFound(_ isWithMicrophones: Bool) async throws {
    let faults = isWithMicrophones ? both : SyntheticDeviceFaults(cameras: cameras.faults, microphones: nil)
    let error = await #expect(throws: CaptureError.self) { try await faults.inject(.late(1), into: "none") }
    #expect(error?.reason == .deviceNotFound)
  }
}
