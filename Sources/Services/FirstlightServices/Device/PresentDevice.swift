internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI

/// A camera or a microphone, as the methods of DeviceService list them.
enum PresentDevice: Sendable {
  case camera(Device)
  case microphone(Microphone)

  var id: String {
    switch self {
    case .camera(let camera): camera.id
    case .microphone(let microphone): microphone.id
    }
  }

  var type: DeviceType {
    switch self {
    case .camera(let camera): camera.type
    case .microphone(let microphone): microphone.type
    }
  }

  /// The camera; nil for a microphone.
  var camera: Device? {
    if case .camera(let camera) = self { camera } else { nil }
  }

  var mediaType: Firstlight_V1_MediaType { camera == nil ? .audio : .video }

  /// The device as clients get it. Events leave out the session.
  func proto(session: String? = nil) -> Firstlight_V1_Device {
    switch self {
    case .camera(let camera): camera.proto(session: session)
    case .microphone(let microphone): microphone.proto(session: session)
    }
  }
}

extension DeviceNews {
  /// What happened, and to which device.
  var parts: (kind: DeviceChange.Kind, device: PresentDevice) {
    switch self {
    case .camera(let change): (change.kind, .camera(change.device))
    case .microphone(let change): (change.kind, .microphone(change.microphone))
    }
  }
}

extension DeviceRegistry {
  /// All cameras and microphones that are present now, ordered by id.
  func presentDevices() async -> [PresentDevice] {
    let cameras = await devices().map(PresentDevice.camera)
    return (cameras + (await microphones.microphones()).map(PresentDevice.microphone)).sorted { $0.id < $1.id }
  }

  /// The id of the session that holds the device; nil when none does.
  nonisolated func holder(of device: PresentDevice) -> String? {
    device.camera == nil ? microphones.holder(of: device.id) : holder(of: device.id)
  }
}
