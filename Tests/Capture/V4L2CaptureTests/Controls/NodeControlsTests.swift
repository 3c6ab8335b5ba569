import CV4L2
import CaptureCore
import Glibc
import Testing

@testable import V4L2Capture

/// How the daemon lists, checks and sets the controls of a video node.
@Suite struct NodeControlsTests {
  private static let exposure: UInt32 = 0x009a_0902

  /// A camera with a control of each type, in the order of the controls' ids.
  private let kernel = FakeKernel(
    FakeKernel.Camera(extendedControls: [
      FakeControl(0x0098_0001, "User Controls", V4L2_CTRL_TYPE_CTRL_CLASS, flags: V4L2_CTRL_FLAG_READ_ONLY),
      FakeControl(0x0098_0900, "Brightness", V4L2_CTRL_TYPE_INTEGER, -100...100, step: 5, default: -10),
      FakeControl(0x0098_0901, "Switched Off", V4L2_CTRL_TYPE_INTEGER, flags: V4L2_CTRL_FLAG_DISABLED),
      FakeControl(0x0098_0914, "Horizontal Flip", V4L2_CTRL_TYPE_BOOLEAN, default: 1),
      FakeControl(0x0098_0920, "Do White Balance", V4L2_CTRL_TYPE_BUTTON, 0...0, flags: V4L2_CTRL_FLAG_WRITE_ONLY),
      FakeControl(0x0098_0930, "Signal Level", V4L2_CTRL_TYPE_INTEGER, default: 7, flags: readOnlyVolatile),
      FakeControl(0x0098_0931, "Link Frequency", V4L2_CTRL_TYPE_INTEGER_MENU, 0...2, default: 2).with {
        $0.menu = [0: ("", -1), 2: ("", 400_000_000_000)]
      },
      FakeControl(0x0098_0932, "Far Away", V4L2_CTRL_TYPE_INTEGER64, .min ... .max, default: -3, elementSize: 8),
      FakeControl(0x0098_0933, "Serial, No.", V4L2_CTRL_TYPE_STRING, 2...6, step: 2, flags: payload, elementSize: 7)
        .with {
          $0.bytes = Array("ab\0".utf8)
          $0.defaultBytes = Array("  \0".utf8)
        },
      // The kernel stores default and maximum as signed numbers, so the highest bit of a bitmask makes both negative.
      FakeControl(0x0098_0934, "Lines", V4L2_CTRL_TYPE_BITMASK, default: -0x7fff_ffff).with {
        $0.query.maximum = -0x7fff_fffd
      },
      FakeControl(0x0098_0935, "Curve", V4L2_CTRL_TYPE_U8, 0...9, flags: payload, elementSize: 1, dimensions: [2, 2])
        .with { $0.bytes = [1, 2, 3, 4] },
      FakeControl(0x0098_0936, "Table", V4L2_CTRL_TYPE_U16, 0...500, flags: payload, elementSize: 2, dimensions: [3])
        .with { $0.bytes = [1, 0, 2, 0, 244, 1] },
      FakeControl(
        0x0098_0937, "List", V4L2_CTRL_TYPE_U32, 1...500, flags: payload | V4L2_CTRL_FLAG_DYNAMIC_ARRAY, elementSize: 4,
        dimensions: [5]
      ).with {
        $0.query.elems = 1
        $0.bytes = [9, 0, 0, 0]
        $0.defaultBytes = [1, 0, 0, 0]
      },
      FakeControl(0x0098_0938, "Brightness", V4L2_CTRL_TYPE_INTEGER, 0...1),
      FakeControl(0x0098_0939, "Area", V4L2_CTRL_TYPE_AREA, flags: payload, elementSize: 8),
      FakeControl(0x009a_0901, "Auto Exposure", V4L2_CTRL_TYPE_MENU, 0...3).with {
        $0.menu = [0: ("Auto Mode", 0), 1: ("Manual Mode", 0), 3: ("Aperture Priority Mode", 0)]
        $0.governs = exposure
      },
      FakeControl(
        exposure, "Exposure Time, Absolute", V4L2_CTRL_TYPE_INTEGER, 1...5000, default: 100,
        flags: V4L2_CTRL_FLAG_INACTIVE),
    ]))
  private static let payload = V4L2_CTRL_FLAG_HAS_PAYLOAD
  private static let readOnlyVolatile = V4L2_CTRL_FLAG_READ_ONLY | V4L2_CTRL_FLAG_VOLATILE

  private func controls() throws -> NodeControls {
    NodeControls(node: try VideoNode(opening: "/dev/video0", with: kernel), deviceID: "fake-000")
  }

  private func set(_ id: String, _ value: ControlValue?) throws -> Result<ControlValue?, CaptureError> {
    try #require(try controls().set([ControlSetting(control: id, value: value)]).first).outcome
  }

  private func reason(_ id: String, _ value: ControlValue?) throws -> CaptureError.Reason? {
    guard case .failure(let error) = try set(id, value) else { return nil }
    return error.reason
  }

  /// The list leaves out the headlines of control classes and disabled controls. The second control of a name gets an
  /// id with a number. A button and a control of an unknown type have no value.
  @Test func allControlsButHeadlinesAndDisabledOnesAreListed() throws {
    let all = try controls().list()
    #expect(
      all.map(\.id) == [
        "brightness", "horizontal_flip", "do_white_balance", "signal_level", "link_frequency", "far_away", "serial_no",
        "lines", "curve", "table", "list", "brightness_2", "area", "auto_exposure", "exposure_time_absolute",
      ])
    #expect(
      all.map(\.kind) == [
        .integer, .boolean, .button, .integer, .integerMenu, .integer64, .string, .bitmask, .u8, .u16, .u32, .integer,
        .unknown, .menu, .integer,
      ])
    #expect(
      all.map(\.value) == [
        .integer(-10), .boolean(true), nil, .integer(7), .integer(2), .integer(-3), .text("ab"), .integer(0x8000_0001),
        .elements([1, 2, 3, 4]), .elements([1, 0, 2, 0, 244, 1]), .elements([9, 0, 0, 0]), .integer(0), nil,
        .integer(0), .integer(100),
      ])
  }

  /// Names, ranges, steps, defaults, flags, dimensions and menus come from the driver. A menu has no items for the
  /// indices that the driver skips.
  @Test func controlsHaveThePropertiesThatTheDriverGives() throws {
    let all = Dictionary(uniqueKeysWithValues: try controls().list().map { ($0.id, $0) })
    let brightness = try #require(all["brightness"])
    #expect(brightness.displayName == "Brightness")
    #expect(brightness.v4l2ID == 0x0098_0900)
    #expect((brightness.range.minimum, brightness.range.maximum) == (-100, 100))
    #expect((brightness.range.step, brightness.defaultValue) == (5, -10))
    #expect(all["lines"]?.range.maximum == 0x8000_0003)
    #expect(all["curve"]?.dimensions == [2, 2])
    #expect(all["signal_level"]?.flags.isReadOnly == true)
    #expect(all["signal_level"]?.flags.isVolatile == true)
    #expect(all["exposure_time_absolute"]?.flags.isInactive == true)
    #expect(all["auto_exposure"]?.menuItems.map(\.index) == [0, 1, 3])
    #expect(all["auto_exposure"]?.menuItems.last?.label == "Aperture Priority Mode")
    #expect(all["link_frequency"]?.menuItems == [.init(index: 0, value: -1), .init(index: 2, value: 400_000_000_000)])
  }

  /// The arguments are a control, the value to set, and the value that the control then has. Nil sets the default. The
  /// driver rounds a value between two steps.
  @Test(
    arguments: [
      ("brightness", .integer(40), .integer(40)),
      ("brightness", .integer(43), .integer(45)),
      ("brightness", nil, .integer(-10)),
      ("horizontal_flip", .boolean(false), .boolean(false)),
      ("horizontal_flip", .integer(0), .boolean(false)),
      ("do_white_balance", .text("now"), nil),
      ("link_frequency", .integer(0), .integer(0)),
      ("far_away", .integer(.max), .integer(.max)),
      ("serial_no", .text("abcdef"), .text("abcdef")),
      ("serial_no", nil, .text("  ")),
      ("lines", .integer(0x8000_0000), .integer(0x8000_0000)),
      ("curve", .elements([9, 0, 9, 0]), .elements([9, 0, 9, 0])),
      ("table", .elements([244, 1, 0, 0, 1, 0]), .elements([244, 1, 0, 0, 1, 0])),
      ("list", .elements([2, 0, 0, 0, 3, 0, 0, 0]), .elements([2, 0, 0, 0, 3, 0, 0, 0])),
      ("list", nil, .elements([1, 0, 0, 0])),
      ("auto_exposure", .integer(3), .integer(3)),
    ] as [(String, ControlValue?, ControlValue?)])
  func aValueIsSetAndReadBack(id: String, wanted: ControlValue?, got: ControlValue?) throws {
    #expect(try set(id, wanted) == .success(got))
    #expect(try controls().list().first { $0.id == id }?.value == got)
  }

  /// The kernel would clamp such a value without an error. The daemon refuses the value instead, so that a client
  /// learns that the value does not fit.
  @Test(
    arguments: [
      ("brightness", .integer(101)), ("brightness", .integer(-101)),
      ("horizontal_flip", .integer(2)), ("auto_exposure", .integer(2)), ("auto_exposure", .integer(4)),
      ("link_frequency", .integer(1)), ("serial_no", .text("abc")), ("serial_no", .text("")),
      ("serial_no", .text("abcdefgh")), ("serial_no", .text("a\0")), ("lines", .integer(4)), ("lines", .integer(-1)),
      ("curve", .elements([1, 2, 3])), ("curve", .elements([1, 2, 3, 10])), ("table", .elements([0, 0, 0, 0, 245, 1])),
      ("list", .elements([])), ("list", .elements([1, 0, 0])), ("list", .elements(Array(repeating: 1, count: 24))),
      ("area", .integer(1)),
    ] as [(String, ControlValue)])
  func aValueThatDoesNotFitIsRefusedBeforeTheDriverRoundsIt(id: String, value: ControlValue) throws {
    let before = try controls().list()
    #expect(try reason(id, value) == .unsupportedValue)
    #expect(try controls().list() == before)
  }

  /// A client can tell a value of the wrong type from a value that is out of range. The control does not change.
  @Test(
    arguments: [
      ("brightness", .text("5")), ("brightness", .boolean(true)), ("brightness", .elements([5])),
      ("horizontal_flip", .text("1")), ("auto_exposure", .text("1")), ("serial_no", .integer(1)),
      ("curve", .integer(1)),
    ] as [(String, ControlValue)])
  func aValueOfTheWrongTypeHasAnErrorOfItsOwn(id: String, value: ControlValue) throws {
    let before = try controls().list()
    #expect(try reason(id, value) == .controlWrongType)
    #expect(try controls().list() == before)
  }

  /// Missing, disabled, read-only, inactive and grabbed controls fail with the reason that fits; a disabled control
  /// counts as missing.
  @Test func controlsThatCannotBeSetFailWithTheirReason() throws {
    #expect(try reason("nothing", .integer(1)) == .controlNotFound)
    #expect(try reason("switched_off", .integer(1)) == .controlNotFound)
    #expect(try reason("signal_level", .integer(1)) == .controlReadOnly)
    #expect(try reason("exposure_time_absolute", .integer(1)) == .controlInactive)
    kernel.change { $0.extendedControls[1].set(V4L2_CTRL_FLAG_GRABBED, true) }
    #expect(try reason("brightness", .integer(1)) == .controlGrabbed)
  }

  /// The arguments are the errno of VIDIOC_S_EXT_CTRLS and the reason that the client gets, for values that pass the
  /// daemon's own checks.
  @Test(arguments: [
    (ERANGE, CaptureError.Reason.unsupportedValue), (EINVAL, .unsupportedValue), (EACCES, .controlReadOnly),
    (EBUSY, .controlGrabbed), (ENOMEM, .deviceFailed), (ENODEV, .deviceDisconnected),
    (EIO, .deviceNotResponding), (EPIPE, .deviceNotResponding), (ETIMEDOUT, .deviceNotResponding),
  ])
  func errnosOfTheDriverBecomeReasons(errno: Int32, expected: CaptureError.Reason) throws {
    kernel.fail("VIDIOC_S_EXT_CTRLS", with: errno)
    #expect(try reason("brightness", .integer(1)) == expected)
  }

  /// A camera that goes after its node was opened fails each setting as disconnected, and its list of controls is
  /// empty.
  @Test func aCameraThatGoesBeforeASettingIsDisconnected() throws {
    let controls = try controls()
    kernel.disconnect()
    let results = controls.set([ControlSetting(control: "brightness", value: .integer(1))])
    guard case .failure(let error) = results[0].outcome else {
      Issue.record("the setting succeeded on a camera that is gone")
      return
    }
    #expect(error.reason == .deviceDisconnected)
    #expect(try controls.list().isEmpty)
  }

  @Test("SetControls: a transfer cut off by an unplugged camera means disconnected", arguments: [EIO, EPIPE])
  func aCameraThatIsUnpluggedDuringASetting(_ errno: Int32) throws {
    let controls = try controls()
    kernel.fail("VIDIOC_S_EXT_CTRLS", with: errno)
    kernel.fail("VIDIOC_QUERYCAP", with: ENODEV)
    let results = controls.set([ControlSetting(control: "brightness", value: .integer(1))])
    guard case .failure(let error) = results[0].outcome else {
      Issue.record("the setting succeeded on a camera that is gone")
      return
    }
    #expect(error.reason == .deviceDisconnected)
  }

  @Test("SetControls: after a control that timed out no other is tried")
  func aCameraThatDoesNotAnswerIsAskedOnce() throws {
    // Only the first call fails. The second setting would succeed if the method tried it.
    kernel.fail("VIDIOC_S_EXT_CTRLS", with: ETIMEDOUT)
    let results = try controls().set([
      ControlSetting(control: "brightness", value: .integer(1)),
      ControlSetting(control: "horizontal_flip", value: .boolean(false)),
    ])
    let reasons = results.map { result -> CaptureError.Reason? in
      if case .failure(let error) = result.outcome { error.reason } else { nil }
    }
    #expect(reasons == [.deviceNotResponding, .deviceNotResponding])
    #expect(try controls().list().first { $0.id == "horizontal_flip" }?.value == .boolean(true))
  }

  @Test("SetControls: a protocol stall at one control does not end the other settings")
  func aProtocolStallFailsOnlyItsControl() throws {
    kernel.fail("VIDIOC_S_EXT_CTRLS", with: EPIPE)
    let results = try controls().set([
      ControlSetting(control: "brightness", value: .integer(1)),
      ControlSetting(control: "horizontal_flip", value: .boolean(false)),
    ])
    #expect(results[1].outcome == .success(.boolean(false)))
  }

  @Test("A list ends with the first call that timed out", arguments: ["VIDIOC_QUERY_EXT_CTRL", "VIDIOC_G_EXT_CTRLS"])
  func aListEndsWithTheFirstTimeout(call: String) throws {
    let controls = try controls()
    kernel.fail(call, with: 0, ETIMEDOUT)
    let error = #expect(throws: CaptureError.self) { _ = try controls.list() }
    #expect(error?.reason == .deviceNotResponding)
    kernel.fail("VIDIOC_QUERY_EXT_CTRL", with: ETIMEDOUT)
    let results = controls.set([ControlSetting(control: "brightness", value: .integer(1))])
    guard case .failure(let refusal) = results[0].outcome else {
      Issue.record("the setting succeeded on a camera that does not answer")
      return
    }
    #expect(refusal.reason == .deviceNotResponding)
  }

  /// Settings take effect in the order that the client gives, so one setting can make the next one possible. A setting
  /// that fails does not end the others.
  @Test func settingsTakeEffectInOrderAndFailAlone() throws {
    let results = try controls().set([
      ControlSetting(control: "brightness", value: .integer(1000)),
      ControlSetting(control: "auto_exposure", value: .integer(1)),
      ControlSetting(control: "nothing", value: nil),
      ControlSetting(control: "exposure_time_absolute", value: .integer(250)),
    ])
    #expect(results.map(\.control) == ["brightness", "auto_exposure", "nothing", "exposure_time_absolute"])
    #expect(results[1].outcome == .success(.integer(1)))
    #expect(results[3].outcome == .success(.integer(250)), "the manual mode before made the control active")
  }

  /// Sizes, dimensions and ranges that overflow or contradict each other must not end the daemon. A control that cannot
  /// be described is listed with an unknown type and refuses every value.
  @Test func absurdNumbersOfADriverDoNotEndTheDaemon() throws {
    kernel.change { camera in
      camera.extendedControls = [
        FakeControl(1, "Huge", V4L2_CTRL_TYPE_U32, 0...1, flags: Self.payload, dimensions: [.max, .max, .max, .max])
          .with {
            $0.query.elems = .max
          },
        FakeControl(2, "Thin", V4L2_CTRL_TYPE_U16, flags: Self.payload, elementSize: 0, dimensions: [3]),
        FakeControl(3, "Bare", V4L2_CTRL_TYPE_U8, elementSize: 1, dimensions: [3]),
        FakeControl(4, "Endless", V4L2_CTRL_TYPE_STRING, .min ... .max, step: 3, flags: Self.payload, elementSize: .max)
          .with { $0.query.elems = 1 },
        FakeControl(5, "Wide", V4L2_CTRL_TYPE_MENU, (.max - 1)...(.max)),
        FakeControl(6, "Odd", V4L2_CTRL_TYPE_STRING, .min...5, step: 3, flags: Self.payload, elementSize: 6).with {
          $0.query.elems = 1
          $0.bytes = [0]
        },
        FakeControl(7, "???", V4L2_CTRL_TYPE_INTEGER),
      ]
    }
    let all = try controls().list()
    #expect(all.map(\.kind) == [.unknown, .unknown, .unknown, .unknown, .menu, .string, .integer])
    #expect(all.last?.id == "0x7")
    for control in all.prefix(5) { #expect(try reason(control.id, .integer(1)) == .unsupportedValue) }
    #expect(try reason("odd", .text("abcde")) == .unsupportedValue)
  }

  /// When the driver fails to read one control, the list has that control without a value, and all others with theirs.
  @Test func aControlThatCannotBeReadIsListedWithoutAValue() throws {
    kernel.fail("VIDIOC_G_EXT_CTRLS", with: EIO)
    let all = try controls().list()
    #expect(all.count == 15)
    #expect(all[0].value == nil)
    #expect(all[1].value == .boolean(true))
  }
}

extension FakeControl {
  fileprivate func with(_ change: (inout FakeControl) -> Void) -> FakeControl {
    var copy = self
    change(&copy)
    return copy
  }
}
