import CaptureCore
import Testing

@testable import V4L2Capture

/// Which ids cameras get by serial number and port, when people plug them in and out and when the daemon restarts. `a`,
/// `b` and `c` are cameras with the same serial number at three ports; only the port tells them apart.
@Suite struct SerialNumbersTests {
  /// A desk at which cameras come and go. The memory is written as text and read again at each step, as over a restart.
  private struct Desk {
    var numbers = SerialNumbers()
    var present: [CameraIdentity: String] = [:]

    /// Returns the ids of the cameras that are present now, in the order of the arguments. A camera that was present
    /// before keeps its id.
    mutating func plugged(_ cameras: CameraIdentity...) -> [String] {
      present = numbers.name(cameras, present: present)
      numbers = SerialNumbers(text: numbers.text)!
      return cameras.map { present[$0]! }
    }

    /// Restarts the daemon while these cameras are present, and returns their ids in the order of the arguments.
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

  /// As long as no two cameras with the same serial number are present at once, the id by serial number follows the
  /// camera to every port, so that configurations that name the id go on working.
  @Test mutating func A4_aCameraAloneKeepsItsIDAtEveryPort() {
    #expect(desk.plugged(a) == [serial])
    #expect(desk.plugged() == [])
    #expect(desk.plugged(b) == [serial])
    #expect(desk.restarted(c) == [serial])
  }

  /// Once two cameras with the same serial number were present at once, the number tells no camera apart. From then on,
  /// cameras with this number get ids by port.
  @Test mutating func A4_camerasWithOneSerialNumberGetIDsByPortForEver() {
    #expect(desk.plugged(a, b) == [portA, portB])
    #expect(desk.plugged(b) == [portB], "one is unplugged")
    #expect(desk.plugged(a, b) == [portA, portB], "and plugged in again")
    #expect(desk.plugged(a) == [portA], "the other goes")
    #expect(desk.restarted(b) == [portB], "a restart with one")
    #expect(desk.restarted(b, a) == [portB, portA])
    #expect(desk.restarted(c) == [portC], "alone at a third port")
  }

  /// The first camera had the id by serial number at one port only, so the camera at that port keeps this id. A second
  /// camera with the same number gets an id by port, and never the id of the first.
  @Test mutating func A4_theFirstCameraKeepsItsIDWhenASecondOneComes() {
    #expect(desk.plugged(a) == [serial])
    #expect(desk.plugged(a, b) == [serial, portB])
    #expect(desk.plugged(b) == [portB])
    #expect(desk.plugged(b, a) == [portB, serial], "the id is that of the camera at the port")
    #expect(desk.restarted(b) == [portB], "no other camera gets that id, alone or not")
    #expect(desk.restarted(c) == [portC])
    #expect(desk.restarted(a, b) == [serial, portB])
  }

  /// When the id by serial number was given at two ports, nothing tells which of the two cameras the id meant. Neither
  /// camera gets the id again; a camera that has the id keeps it while the camera is present.
  @Test mutating func A4_anIDThatWasGivenAtTwoPortsIsGivenToNeitherCamera() {
    #expect(desk.plugged(a) == [serial])
    #expect(desk.plugged() == [])
    #expect(desk.plugged(b) == [serial], "the daemon cannot tell that this is not the same camera, moved")
    #expect(desk.plugged(a, b) == [portA, serial], "the camera is another one, but a session may use its id")
    #expect(desk.plugged(a) == [portA])
    #expect(desk.plugged(a, b) == [portA, portB])
    #expect(desk.restarted(b) == [portB])
    #expect(desk.restarted(a) == [portA])
  }

  /// A restart with two cameras of one serial number gives the id by serial number only to the camera at the port that
  /// had this id before.
  @Test mutating func A4_atARestartTheIDStaysAtThePortThatHadIt() {
    #expect(desk.plugged(a) == [serial])
    #expect(desk.restarted(a, b) == [serial, portB])
    var other = Desk(numbers: desk.numbers)
    #expect(other.restarted(b, c) == [portB, portC], "no camera is at the port that had the id")
  }

  /// Cameras without a serial number get ids by port, and the memory has no entry for them.
  @Test mutating func A4_withoutASerialNumberThePortDecides() {
    let (first, second) = (Self.camera(nil, at: 1), Self.camera(nil, at: 2))
    #expect(desk.plugged(first, second) == [portA, portB])
    #expect(desk.plugged(second) == [portB])
    #expect(desk.plugged(first, second) == [portA, portB])
    #expect(desk.numbers.entries.isEmpty)
  }

  /// Over 2,000 random steps with restarts, each id belongs to one camera only.
  @Test mutating func A4_noIDPassesToAnotherCamera() {
    // Three cameras have one serial number, and each camera has a port of its own. The first look sees all three, so
    // that none of them is taken for another one that was moved.
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

  /// The memory holds a limited count of serial numbers. Numbers that are not shared are forgotten first, the oldest
  /// before the newest.
  @Test mutating func theMemoryIsBounded() {
    #expect(desk.plugged(a, b) == [portA, portB])
    for number in 0..<3 * SerialNumbers.limit {
      #expect(desk.numbers.name([Self.camera("N\(number)", at: 7)], present: [:]).count == 1)
    }
    #expect(desk.numbers.entries.count == SerialNumbers.limit)
    #expect(desk.restarted(b) == [portB], "a shared number is not forgotten")
    let newest = desk.numbers.entries.last?.id
    #expect(newest == serial, "the newest number is forgotten last")
  }

  /// The memory does not forget the number of a camera that is present, however many other cameras come and go.
  @Test mutating func theNumberOfAPresentCameraIsNotForgotten() {
    #expect(desk.plugged(a) == [serial])
    for number in 0..<SerialNumbers.limit {
      desk.present = desk.numbers.name([a, Self.camera("N\(number)", at: 7)], present: desk.present)
    }
    #expect(desk.numbers.entries.count == SerialNumbers.limit)
    #expect(desk.restarted(a, b) == [serial, portB], "it was the id of the camera at the first port")
  }

  /// A memory that is full of shared numbers takes no further number, so a new camera gets an id by port.
  @Test mutating func aMemoryFullOfSharedNumbersGivesIDsByPort() {
    for number in 0..<SerialNumbers.limit {
      _ = desk.numbers.name([Self.camera("N\(number)", at: 1), Self.camera("N\(number)", at: 2)], present: [:])
    }
    #expect(desk.restarted(a) == [portA], "the memory has no room for the camera's serial number")
    #expect(desk.numbers.entries.count == SerialNumbers.limit)
  }

  /// A text that is cut off, has another version, or has a line in another form is refused as a whole.
  @Test(arguments: [
    "", "\n", "firstlight serial numbers 1\n", "firstlight serial numbers 2\nend\n", "firstlight serial numbers 1\nend",
    "firstlight serial numbers 1\n046d-1 - shared\n", "firstlight serial numbers 1\n046d-1 -\nend\n",
    "firstlight serial numbers 1\n046d-1 - twice\nend\n", "firstlight serial numbers 1\n046D-1 - shared\nend\n",
    "firstlight serial numbers 1\n046d-1 / shared\nend\n", "firstlight serial numbers 1\n046d-1 - shared\u{0}\nend\n",
    "firstlight serial numbers 1\n046d-1 - shared\n046d-1 - single\nend\n",
  ])
  func aDamagedTextIsRefused(_ text: String) {
    #expect(SerialNumbers(text: text) == nil)
  }

  /// The file is plain text with a first line for its version and a last line that shows that nothing was cut off.
  @Test func theTextHasOneLineForEachNumber() {
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

/// A generator that gives the same numbers in each run.
private struct Pseudorandom {
  private var state: UInt32 = 1

  mutating func next() -> UInt32 {
    state = state &* 1_664_525 &+ 1_013_904_223
    return state >> 16
  }
}
