import CaptureCore
import Testing

@testable import V4L2Capture

/// Which id which camera gets, over re-plugging and restarts. Cameras are told by the letter of their port.
@Suite struct SerialNumbersTests {
  /// Cameras come and go; the memory goes through its text at each step, as over a restart.
  private struct Desk {
    var numbers = SerialNumbers()
    var present: [CameraIdentity: String] = [:]

    /// What the cameras at these ports are called, in their order. Those that were there before stay as they are.
    mutating func plugged(_ cameras: CameraIdentity...) -> [String] {
      present = numbers.name(cameras, present: present)
      numbers = SerialNumbers(text: numbers.text)!
      return cameras.map { present[$0]! }
    }

    /// The daemon begins anew with these.
    mutating func restarted(_ cameras: CameraIdentity...) -> [String] {
      present = numbers.name(cameras, present: [:])
      numbers = SerialNumbers(text: numbers.text)!
      return cameras.map { present[$0]! }
    }
  }

  private static func camera(_ serial: String?, at port: Int) -> CameraIdentity {
    CameraIdentity(
      .example(
        driver: "uvcvideo", busInfo: "usb-hc-\(port)",
        hardware: Hardware(
          path: "/sys/devices/hc/usb1/1-\(port)/1-\(port):1.0", index: 0,
          usb: Hardware.USB(
            vendor: "046d", product: "0825", serial: serial, port: "1-\(port)", interface: 0, isFixed: false))))
  }

  private let a = camera("S", at: 1)
  private let b = camera("S", at: 2)
  private let c = camera("S", at: 3)
  private let serial = "046d-0825-s"
  private let portA = "046d-0825-usb-hc-1"
  private let portB = "046d-0825-usb-hc-2"
  private let portC = "046d-0825-usb-hc-3"
  private var desk = Desk()

  @Test mutating func A4_aCameraAloneKeepsItsIDAtEveryPort() {
    #expect(desk.plugged(a) == [serial])
    #expect(desk.plugged() == [])
    #expect(desk.plugged(b) == [serial])
    #expect(desk.restarted(c) == [serial])
  }

  @Test mutating func A4_twinsThatAppearTogetherAreCalledByPortForEver() {
    #expect(desk.plugged(a, b) == [portA, portB])
    #expect(desk.plugged(b) == [portB], "one is unplugged")
    #expect(desk.plugged(a, b) == [portA, portB], "and plugged in again")
    #expect(desk.plugged(a) == [portA], "the other goes")
    #expect(desk.restarted(b) == [portB], "a restart with one")
    #expect(desk.restarted(b, a) == [portB, portA])
    #expect(desk.restarted(c) == [portC], "alone at a third port")
  }

  @Test mutating func A4_theFirstKeepsItsIDWhenATwinComes() {
    #expect(desk.plugged(a) == [serial])
    #expect(desk.plugged(a, b) == [serial, portB])
    #expect(desk.plugged(b) == [portB])
    #expect(desk.plugged(b, a) == [portB, serial], "the id is that of the camera at the port")
    #expect(desk.restarted(b) == [portB], "and of no other, alone or not")
    #expect(desk.restarted(c) == [portC])
    #expect(desk.restarted(a, b) == [serial, portB])
  }

  @Test mutating func A4_anIDThatMayHaveBeenEithersIsNobodys() {
    #expect(desk.plugged(a) == [serial])
    #expect(desk.plugged() == [])
    #expect(desk.plugged(b) == [serial], "the same camera moved, for all that anybody can tell")
    #expect(desk.plugged(a, b) == [portA, serial], "it was not, but a session may hold it")
    #expect(desk.plugged(a) == [portA])
    #expect(desk.plugged(a, b) == [portA, portB])
    #expect(desk.restarted(b) == [portB])
    #expect(desk.restarted(a) == [portA])
  }

  @Test mutating func A4_twinsFoundAtTheStartKeepWhatOneWasCalledBefore() {
    #expect(desk.plugged(a) == [serial])
    #expect(desk.restarted(a, b) == [serial, portB])
    var other = Desk(numbers: desk.numbers)
    #expect(other.restarted(b, c) == [portB, portC], "its port is empty")
  }

  @Test mutating func A4_withoutASerialNumberThePortDecides() {
    let (first, second) = (Self.camera(nil, at: 1), Self.camera(nil, at: 2))
    #expect(desk.plugged(first, second) == [portA, portB])
    #expect(desk.plugged(second) == [portB])
    #expect(desk.plugged(first, second) == [portA, portB])
    #expect(desk.numbers.entries.isEmpty)
  }

  @Test mutating func A4_noIDPassesToAnotherCamera() {
    // Three cameras of one number, each with ports of its own, as long as nobody takes one for the other moved.
    var generator = Pseudorandom()
    var owners: [String: CameraIdentity] = [:]
    #expect(desk.plugged(a, b, c) == [portA, portB, portC])
    for step in 0..<2000 {
      let there = [a, b, c].filter { _ in generator.next() % 2 == 0 }
      if generator.next() % 5 == 0 { desk.present = [:] }
      desk.present = desk.numbers.name(there, present: desk.present)
      desk.numbers = SerialNumbers(text: desk.numbers.text)!
      for (camera, id) in desk.present {
        #expect(owners[id, default: camera] == camera, "step \(step)")
        owners[id] = camera
      }
    }
    #expect(owners.count == 3)
  }

  @Test mutating func whatIsRememberedIsBounded() {
    #expect(desk.plugged(a, b) == [portA, portB])
    for number in 0..<3 * SerialNumbers.limit {
      #expect(desk.numbers.name([Self.camera("N\(number)", at: 7)], present: [:]).count == 1)
    }
    #expect(desk.numbers.entries.count == SerialNumbers.limit)
    #expect(desk.restarted(b) == [portB], "a shared number is not forgotten")
    let newest = desk.numbers.entries.last?.id
    #expect(newest == serial, "what came last is forgotten last")
  }

  @Test mutating func theNumberOfACameraThatIsThereIsNotForgotten() {
    #expect(desk.plugged(a) == [serial])
    for number in 0..<SerialNumbers.limit {
      desk.present = desk.numbers.name([a, Self.camera("N\(number)", at: 7)], present: desk.present)
    }
    #expect(desk.numbers.entries.count == SerialNumbers.limit)
    #expect(desk.restarted(a, b) == [serial, portB], "it was the id of the camera at the first port")
  }

  @Test mutating func withSharedNumbersOnlyPortsDecide() {
    for number in 0..<SerialNumbers.limit {
      _ = desk.numbers.name([Self.camera("N\(number)", at: 1), Self.camera("N\(number)", at: 2)], present: [:])
    }
    #expect(desk.restarted(a) == [portA], "there is no room to remember that it was called by its number")
    #expect(desk.numbers.entries.count == SerialNumbers.limit)
  }

  @Test(arguments: [
    "", "\n", "firstlight serial numbers 1\n", "firstlight serial numbers 2\nend\n", "firstlight serial numbers 1\nend",
    "firstlight serial numbers 1\n046d-1 - shared\n", "firstlight serial numbers 1\n046d-1 -\nend\n",
    "firstlight serial numbers 1\n046d-1 - twice\nend\n", "firstlight serial numbers 1\n046D-1 - shared\nend\n",
    "firstlight serial numbers 1\n046d-1 / shared\nend\n", "firstlight serial numbers 1\n046d-1 - shared\u{0}\nend\n",
    "firstlight serial numbers 1\n046d-1 - shared\n046d-1 - single\nend\n",
  ])
  func whatIsDamagedIsNoText(_ text: String) {
    #expect(SerialNumbers(text: text) == nil)
  }

  @Test func theTextIsPlain() {
    let numbers = SerialNumbers([
      .init(id: "046d-1", place: .nowhere, isShared: true),
      .init(id: "046d-2", place: .one("046d-usb-1"), isShared: false),
      .init(id: "046d-3", place: .several, isShared: false),
    ])
    #expect(
      numbers.text == """
        firstlight serial numbers 1
        046d-1 - shared
        046d-2 046d-usb-1 single
        046d-3 * single
        end

        """)
    #expect(SerialNumbers(text: numbers.text) == numbers)
    #expect(SerialNumbers(text: SerialNumbers().text) == SerialNumbers())
  }
}

/// The same numbers in each run.
private struct Pseudorandom {
  private var state: UInt32 = 1

  mutating func next() -> UInt32 {
    state = state &* 1_664_525 &+ 1_013_904_223
    return state >> 16
  }
}
