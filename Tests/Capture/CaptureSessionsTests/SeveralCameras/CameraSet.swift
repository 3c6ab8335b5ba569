import CaptureCore
import CaptureTestKit

@testable import CaptureSessions

/// A configuration of some of nine cameras with four outputs and of a composition of them, and random changes of it. A
/// value.
struct CameraSet: Hashable {
  struct Camera: Hashable {
    /// The number in the id of the input.
    var input: Int
    /// The number in the id of the device.
    var device: Int
    var rate: UInt32 = 30
  }

  /// The camera of an output.
  struct Wire: Hashable {
    /// The number in the id of the input.
    var input: Int
    var isEnabled = true
  }

  static let devices = 0..<9
  static let outputs = 0..<4
  private static let most = 5

  /// Nil while the configuration has none.
  var composed: Composed?
  private(set) var cameras = [Camera(input: 0, device: 0), Camera(input: 1, device: 1)]
  /// By the number in the id of the output.
  private(set) var wires = outputs.map { Wire(input: $0 % 2) }

  var configuration: SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.inputs = cameras.map {
      .init(id: "cam-\($0.input)", deviceID: "fake-\($0.device)", frameRate: Rational($0.rate, 1))
    }
    configuration.videoData = Self.outputs.map { .init(id: "data-\($0)") }
    configuration.connections = wires.enumerated().map {
      .init(input: "cam-\($1.input)", output: "data-\($0)", isEnabled: $1.isEnabled)
    }
    configuration.videoData.append(.init(id: "composed"))
    if let composed {
      var both = SessionConfiguration.Input(id: "both", deviceID: "")
      both.composition = composed.composition
      configuration.inputs.append(both)
      configuration.connections.append(.init(input: "both", output: "composed", isEnabled: composed.isEnabled))
    }
    return configuration
  }

  /// The camera whose frames an output gets; nil when its connection is disabled.
  func camera(of output: Int) -> Camera? {
    wires[output].isEnabled ? cameras.first { $0.input == wires[output].input } : nil
  }

  func camera(on device: Int) -> Camera? { cameras.first { $0.device == device } }

  /// Whether a device streams unless it is away: an output takes its frames, alone or in a composition, or it is the
  /// only camera.
  func isUsed(_ device: Int) -> Bool {
    guard let camera = camera(on: device) else { return false }
    return cameras.count == 1 || wires.contains(Wire(input: camera.input)) || composed?.shows(camera.input) ?? false
  }

  /// Whether a commit of `next` leaves a device alone that streams.
  func keeps(_ device: Int, in next: CameraSet) -> Bool {
    guard let before = camera(on: device), let after = next.camera(on: device) else { return false }
    return before.rate == after.rate && isUsed(device) && next.isUsed(device)
  }

  /// Whether a commit of `next` must be accepted while these devices are away: it asks for nothing of them.
  func accepts(_ next: CameraSet, without away: Set<Int>) -> Bool {
    away.allSatisfy { device in
      guard let after = next.camera(on: device) else { return true }
      return cameras.count > 1 && after == camera(on: device) && (isUsed(device) || !next.isUsed(device))
    }
  }

  /// Makes one random change.
  ///
  /// - Returns: what the change is.
  mutating func change(using random: inout SeededGenerator) -> String {
    Int.random(in: 0..<5, using: &random) < 2 ? changeComposition(using: &random) : changeCameras(using: &random)
  }

  private mutating func changeCameras(using random: inout SeededGenerator) -> String {
    let place = Int.random(in: cameras.indices, using: &random)
    let output = Int.random(in: Self.outputs, using: &random)
    let free = Self.devices.filter { camera(on: $0) == nil }.randomElement(using: &random)!
    let newInput = (0...Self.most).first { number in !cameras.contains { $0.input == number } }!
    switch Int.random(in: 0..<10, using: &random) {
    case 0 where cameras.count < Self.most, 1 where cameras.count < Self.most:
      cameras.insert(Camera(input: newInput, device: free), at: place)
      wires[output] = Wire(input: newInput)
      return "add fake-\(free) as cam-\(newInput) for data-\(output)"
    case 2 where cameras.count > 1:
      let gone = cameras.remove(at: place).input
      let other = cameras.randomElement(using: &random)!.input
      rewire(gone, to: other)
      return "remove cam-\(gone)"
    case 3:
      cameras[place].device = free
      return "swap cam-\(cameras[place].input) for fake-\(free)"
    case 4:
      let former = cameras[place].input
      cameras[place].input = newInput
      rewire(former, to: newInput)
      return "call cam-\(former) cam-\(newInput)"
    case 5:
      wires[output].input = cameras[place].input
      return "wire data-\(output) to cam-\(cameras[place].input)"
    case 6:
      wires[output].isEnabled.toggle()
      return "\(wires[output].isEnabled ? "connect" : "disconnect") data-\(output)"
    case 7:
      cameras[place].rate = cameras[place].rate == 30 ? 15 : 30
      return "cam-\(cameras[place].input) at \(cameras[place].rate)"
    case 8:
      cameras.shuffle(using: &random)
      return "shuffle"
    default:
      wires.swapAt(output, (output + 1) % Self.outputs.count)
      return "exchange data-\(output)"
    }
  }

  private mutating func rewire(_ former: Int, to input: Int) {
    for output in Self.outputs where wires[output].input == former { wires[output].input = input }
    composed?.rewire(former, to: input)
  }
}
