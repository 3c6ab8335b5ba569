import CaptureCore
import Testing

@testable import V4L2Capture

/// USB descriptors in the layout that chapter 9.6 of USB 2.0 and version 1.5 of the video class document.
private enum Descriptors {
  static func device() -> [UInt8] { [18, 0x01, 0x00, 0x02, 0xef, 2, 1, 64, 0x6d, 0x04, 0x25, 0x08, 0, 0, 0, 0, 1, 1] }

  static func configuration(_ value: UInt8 = 1) -> [UInt8] { [9, 0x02, 0, 0, 4, value, 0, 0x80, 250] }

  static func interface(_ number: UInt8, alternate: UInt8 = 0, class code: UInt8 = 0x0e, subclass: UInt8) -> [UInt8] {
    [9, 0x04, number, alternate, 1, code, subclass, 0, 0]
  }

  /// The VC_HEADER of a control interface that the given streaming interfaces belong to.
  static func header(_ streaming: UInt8...) -> [UInt8] {
    [UInt8(12 + streaming.count), 0x24, 0x01, 0x00, 0x01, 0x33, 0x00, 0x80, 0x8d, 0x5b, 0x00, UInt8(streaming.count)]
      + streaming
  }

  static func endpoint(_ packet: UInt16, attributes: UInt8 = 5, address: UInt8 = 0x81, interval: UInt8 = 1) -> [UInt8] {
    [7, 0x05, address, attributes, UInt8(packet & 0xff), UInt8(packet >> 8), interval]
  }

  static func companion(_ bytes: UInt16) -> [UInt8] { [6, 0x30, 0, 0, UInt8(bytes & 0xff), UInt8(bytes >> 8)] }

  /// The descriptors of a camera with one streaming interface, which has an alternate setting for each of `endpoints`.
  static func camera(_ endpoints: [[UInt8]]) -> [UInt8] {
    device() + configuration() + interface(0, subclass: 1) + header(1) + endpoint(16, attributes: 3, address: 0x83)
      + interface(1, subclass: 2)
      + endpoints.enumerated().flatMap { interface(1, alternate: UInt8($0 + 1), subclass: 2) + $1 }
  }
}

/// How many bytes a second each alternate setting of a camera reserves on its USB bus, read from the descriptors.
@Suite struct USBDescriptorsTests {
  private func settings(_ bytes: [UInt8], _ megabits: Double = 480, control: Int = 0, configuration: UInt8? = nil)
    -> [Int]
  {
    USBDescriptors.isochronousSettings(
      bytes, control: control, megabitsPerSecond: megabits, configuration: configuration)
  }

  /// At high speed, a packet size may stand for two or three transactions in each microframe of 125 µs.
  @Test func highSpeedMultipliesTransactions() {
    // One transaction of 192 bytes, two of 640, and three of 1024, which is the most that USB allows.
    let bytes = Descriptors.camera([0x00c0, 0x0a80, 0x1400].map { Descriptors.endpoint($0) })
    #expect(settings(bytes) == [1_536_000, 10_240_000, 24_576_000])
  }

  /// An interval of n stands for a transaction every 2^(n−1) microframes.
  @Test func intervalsArePowersOfTwo() {
    let bytes = Descriptors.camera([Descriptors.endpoint(512, interval: 1), Descriptors.endpoint(512, interval: 4)])
    #expect(settings(bytes) == [512_000, 4_096_000])
  }

  /// At full speed, USB has a frame each millisecond in place of eight microframes.
  @Test func fullSpeedHasAFrameEachMillisecond() {
    #expect(settings(Descriptors.camera([Descriptors.endpoint(1023)]), 12) == [1_023_000])
  }

  /// The companion of an endpoint tells how many bytes each interval has, and at SuperSpeedPlus a second companion
  /// does.
  @Test func superSpeedTellsTheBytesInTheCompanion() {
    let bytes = Descriptors.camera([Descriptors.endpoint(1024) + Descriptors.companion(49_152)])
    #expect(settings(bytes, 5000) == [393_216_000])
    let plus = Descriptors.companion(1) + [8, 0x31, 0, 0, 0x00, 0x80, 0x01, 0x00]
    #expect(settings(Descriptors.camera([Descriptors.endpoint(1024) + plus]), 10_000) == [0x18000 * 8000])
  }

  /// A camera with bulk transfers reserves nothing on the bus and has no settings to list.
  @Test func bulkCamerasHaveNoSettings() {
    #expect(settings(Descriptors.camera([Descriptors.endpoint(512, attributes: 2)])) == [])
  }

  /// Another camera and a microphone in the same USB device do not count.
  @Test func onlyTheCamerasOwnInterfacesCount() {
    let colour = Descriptors.camera([Descriptors.endpoint(192)])
    let depth =
      Descriptors.interface(2, subclass: 1) + Descriptors.header(3)
      + Descriptors.interface(3, alternate: 1, subclass: 2) + Descriptors.endpoint(384, address: 0x82)
    let microphone =
      Descriptors.interface(4, alternate: 1, class: 1, subclass: 2) + Descriptors.endpoint(1000, address: 0x84)
      + Descriptors.companion(2000)
    #expect(settings(colour + depth + microphone, control: 0) == [1_536_000])
    #expect(settings(colour + depth + microphone, control: 2) == [3_072_000])
  }

  /// A device may have several configurations, and only one of them is active at a time.
  @Test func onlyTheActiveConfigurationCounts() {
    let second =
      Descriptors.configuration(2) + Descriptors.camera([Descriptors.endpoint(384)]).dropFirst(18 + 9)
    let bytes = Descriptors.camera([Descriptors.endpoint(192)]) + second
    #expect(settings(bytes) == [1_536_000])
    #expect(settings(bytes, configuration: 2) == [3_072_000])
  }

  /// The settings before the damaged descriptor count, and the rest is ignored.
  @Test func aDamagedDescriptorEndsTheReading() {
    let bytes = Descriptors.camera([Descriptors.endpoint(192), Descriptors.endpoint(384)])
    #expect(settings(Array(bytes.dropLast(3))) == [1_536_000])
    #expect(settings(bytes + [0, 0, 0]) == [1_536_000, 3_072_000])
    #expect(settings([]) == [])
    #expect(settings([7, 5, 0x81]) == [])
    #expect(settings(Descriptors.camera([Descriptors.endpoint(192, interval: 0)])) == [])
  }

  /// sysfs has the number of the bus, the speed and the descriptors. Without these files the link is not known.
  @Test func theLinkIsReadFromSysfs() throws {
    let files = TemporaryTree()
    files.addUSBCamera(0, serial: nil)
    let path = files.root + "/dev/video0"
    #expect(files.tree.hardware(of: path)?.usb?.link == nil, "the kernel does not tell")
    files.addLink(0, bus: 3, speed: "480", Descriptors.camera([Descriptors.endpoint(192)]))
    #expect(
      files.tree.hardware(of: path)?.usb?.link
        == USBLink(bus: 3, megabitsPerSecond: 480, isochronousSettings: [1_536_000]))
  }
}
