import CaptureCore
import Testing

@testable import CaptureSessions

/// Tests how a configuration gets its defaults, and which issues a client is told of before anything changes.
@Suite struct ConfigurationResolverTests {
  private static func format(
    _ pixelFormat: PixelFormat, _ width: Int, _ height: Int, rates: [UInt32], binned: Bool? = nil
  ) -> DeviceFormat {
    DeviceFormat(
      pixelFormat: pixelFormat, description: "", frameSize: .discrete(Size(width: width, height: height)),
      frameDurations: .discrete(rates.map { Rational(1, $0) }), isBinned: binned)
  }

  private static let webcam = Device(
    id: "cam", displayName: "Cam", type: .external, driver: "uvcvideo", location: "usb-1",
    formats: [
      format(.yuyv, 640, 480, rates: [30, 15]), format(.yuyv, 1920, 1080, rates: [5]),
      format(.mjpeg, 1920, 1080, rates: [60, 30]), format(.mjpeg, 3840, 2160, rates: [15]),
      format(.yuyv, 320, 240, rates: [30]),
    ])

  /// Resolves a configuration with one camera, a preview and a photo output, changed by `change`.
  private func resolve(
    _ change: (inout SessionConfiguration) -> Void
  ) -> (resolved: ResolvedConfiguration, issues: [CaptureError]) {
    var asked = SessionConfiguration()
    asked.inputs = [.init(deviceID: "cam")]
    asked.preview = .init()
    asked.photo = .init()
    change(&asked)
    return ConfigurationResolver.resolve(asked, devices: [Self.webcam])
  }

  /// The stream that a preset asks for; nil when the camera has none for it.
  private func request(_ preset: SessionPreset) -> StreamRequest? {
    resolve { $0.preset = preset }.resolved.input?.request
  }

  /// A configuration that names only a camera and its outputs gets the preset HIGH, automatic deferred start, a
  /// deferred photo output and a window of zero shutter lag of 600 ms.
  @Test func fillsInEveryDefault() {
    let (resolved, issues) = resolve { _ in }
    #expect(issues.isEmpty)
    #expect(resolved.preset == .high)
    #expect(resolved.automaticallyRunsDeferredStart)
    #expect(resolved.input?.id == "camera")
    #expect(resolved.outputs.map(\.id) == ["preview", "photo"])
    #expect(resolved.deferredOutputs == ["photo"])
    #expect(resolved.zeroShutterLagWindow == 600_000_000)
  }

  /// A session with several cameras has the preset INPUT_PRIORITY, and its inputs need no format. While one of the
  /// cameras is absent, that is the only issue.
  @Test func anAbsentCameraIsTheOnlyIssueOfSeveral() {
    let (resolved, issues) = resolve {
      $0.preset = .inputPriority
      $0.inputs.append(.init(id: "second", deviceID: "absent"))
    }
    #expect(issues.map(\.reason) == [.deviceNotFound])
    #expect(resolved.input?.request == request(.high))
  }

  /// Drivers and clients write rates such as 29.97 in several ways, so a rate within 1 % of an offered one selects that
  /// one.
  @Test(
    "B3: a rate within 1 % of an offered rate means the offered rate",
    arguments: [
      (30, 1, 30), (15, 1, 15), (2997, 100, 30), (30_000, 1001, 30), (3029, 100, 30), (2971, 100, 30), (149, 10, 15),
      (4_294_967_280, 143_165_576, 30),
    ] as [(UInt32, UInt32, UInt32)])
  func aRateNearAnOfferedRateIsAccepted(_ numerator: UInt32, _ denominator: UInt32, _ offered: UInt32) {
    let (resolved, issues) = resolve {
      $0.inputs[0].format = .init(pixelFormat: .yuyv, size: Size(width: 640, height: 480))
      $0.inputs[0].frameRate = Rational(numerator, denominator)
    }
    #expect(issues.isEmpty)
    #expect(resolved.input?.request.frameRate == Rational(offered, 1))
  }

  /// The issue names the field and the rates that the format offers, so that the client can choose one.
  @Test(
    "B3: any other rate is refused with a list of the offered rates",
    arguments: [(60, 1), (29, 1), (3031, 100), (2969, 100), (20, 1), (1, 1), (1, 100), (1000, 1)] as [(UInt32, UInt32)])
  func aRateThatIsNotOfferedIsRefused(_ numerator: UInt32, _ denominator: UInt32) {
    let issues = resolve {
      $0.inputs[0].format = .init(pixelFormat: .yuyv, size: Size(width: 640, height: 480))
      $0.inputs[0].frameRate = Rational(numerator, denominator)
    }.issues
    #expect(issues.map(\.reason) == [.formatNotSupported])
    #expect(issues.first?.field == "configuration.inputs[0].frame_rate_override")
    #expect(issues.first?.metadata["frame_rates"] == "30, 15")
    #expect(issues.first?.message.contains("30, 15 frames per second") == true)
  }

  /// A rate within the range is offered as it is, with or without a step. A rate up to 1 % beyond an end means that
  /// end, and any other rate is not offered. Rates are in tenths of a frame per second; nil for a rate that is not
  /// offered.
  @Test(
    "B3: a range of rates offers the rates within it",
    arguments: [
      (120, 120), (300, 300), (50, 50), (299, 299), (302, 300), (304, nil), (497, nil), (49, nil), (496, nil),
      (20, nil),
    ] as [(UInt32, UInt32?)], [nil, Rational(1, 1000)] as [Rational?])
  func ratesWithinARangeAreOffered(_ tenths: (UInt32, UInt32?), _ step: Rational?) {
    let durations = FrameDurations.range(shortest: Rational(1, 30), longest: Rational(1, 5), step: step)
    #expect(durations.offered(Rational(tenths.0, 10))?.value == tenths.1.map { Double($0) / 10 })
  }

  /// With a rate, a preset chooses only among the formats that offer the rate, and fails when no format does.
  @Test("B3: a preset picks among the formats that have the rate") func aPresetChoosesAmongFormatsWithTheRate() {
    func picked(_ preset: SessionPreset, _ rate: UInt32) -> StreamRequest? {
      resolve {
        $0.preset = preset
        $0.inputs[0].frameRate = Rational(rate, 1)
      }.resolved.input?.request
    }
    #expect(picked(.hd1080p, 5)?.pixelFormat == .yuyv)
    #expect(picked(.hd1080p, 60)?.pixelFormat == .mjpeg)
    #expect(picked(.photo, 60)?.size == Size(width: 1920, height: 1080))
    #expect(picked(.high, 15)?.size == Size(width: 640, height: 480))
    #expect(picked(.high, 29) == nil)
  }

  @Test("B3: a format that lists no rates accepts any rate") func aFormatWithoutRatesAcceptsAnyRate() {
    #expect(FrameDurations.discrete([]).offered(Rational(29, 1)) == Rational(29, 1))
  }

  /// A camera that the daemon may not open lists no formats. The issue is `deviceAccessDenied` for the device, and not
  /// a missing format.
  @Test("A5: a camera that may not be opened is refused with the reason")
  func aCameraThatMayNotBeOpenedIsRefusedWithItsReason() {
    var camera = Self.webcam
    camera.formats = []
    camera.unavailable = CaptureError(.deviceAccessDenied, "no", metadata: ["device": "cam"])
    var asked = SessionConfiguration()
    asked.inputs = [.init(deviceID: "cam")]
    let issues = ConfigurationResolver.resolve(asked, devices: [camera]).issues
    #expect(issues.map(\.reason) == [.deviceAccessDenied])
    #expect(issues.first?.field == "configuration.inputs[0].device")
  }

  /// Each preset chooses its size and rate from the camera's formats; compressed pictures at 30 frames per second win
  /// over raw pictures at 5.
  @Test func presetsChooseTheirFormats() {
    #expect(
      request(.high)
        == StreamRequest(pixelFormat: .mjpeg, size: Size(width: 1920, height: 1080), frameRate: Rational(30, 1)))
    #expect(request(.photo)?.size == Size(width: 3840, height: 2160))
    #expect(request(.photo)?.frameRate == Rational(15, 1))
    #expect(request(.medium)?.size == Size(width: 640, height: 480))
    #expect(request(.low)?.size == Size(width: 320, height: 240))
    #expect(
      request(.hd1080p)?.pixelFormat == .mjpeg, "compressed pictures at 30 frames per second win over raw ones at 5")
    #expect(request(.hd4K)?.pixelFormat == .mjpeg)
  }

  /// A preset whose size the camera does not offer is refused for the field of the preset.
  @Test func aPresetTheDeviceLacksIsAnIssue() {
    let (_, issues) = resolve { $0.preset = .hd720p }
    #expect(issues.map(\.reason) == [.formatNotSupported])
    #expect(issues.first?.field == "configuration.preset")
  }

  /// A format that the client names overrules the preset, which becomes INPUT_PRIORITY.
  @Test func anExplicitFormatWinsOverThePreset() {
    let (resolved, issues) = resolve {
      $0.preset = .high
      $0.inputs[0].format = .init(pixelFormat: .yuyv, size: Size(width: 1920, height: 1080))
    }
    #expect(issues.isEmpty)
    #expect(resolved.preset == .inputPriority)
    #expect(resolved.input?.request.frameRate == Rational(5, 1))
  }

  /// A named format that the preset chooses anyway leaves the preset as it is, so that a resolved configuration
  /// resolves to itself.
  @Test func aFormatThatThePresetChoosesKeepsThePreset() {
    let (resolved, issues) = resolve {
      $0.preset = .high
      $0.inputs[0].format = .init(pixelFormat: .mjpeg, size: Size(width: 1920, height: 1080))
    }
    #expect(issues.isEmpty)
    #expect(resolved.preset == .high)
    #expect(resolved == resolve { $0.preset = .high }.resolved)
  }

  /// The resolver reports all issues of a configuration, each with its field, so that a client need not correct them
  /// one by one.
  @Test func allIssuesAreReportedAtOnce() {
    let (_, issues) = resolve {
      $0.inputs = [.init(deviceID: "none"), .init(deviceID: "cam")]
      $0.photo?.id = "preview"
      $0.photo?.zeroShutterLagWindow = 6_000_000_000
    }
    #expect(
      Set(issues.compactMap(\.field)) == [
        "configuration.inputs[0].device", "configuration.photo.zero_shutter_lag_window",
        "configuration.photo.id",
      ])
  }

  /// When every output asks to be deferred, none is, because there is then no output that would be prepared before the
  /// others.
  @Test func deferringAllOutputsDefersNone() {
    #expect(resolve { $0.preview?.deferredStart = true }.resolved.deferredOutputs == [])
    #expect(resolve { $0.photo?.deferredStart = false }.resolved.deferredOutputs == [])
    #expect(resolve { $0.preview = nil }.resolved.deferredOutputs == [])
  }

  /// Without zero shutter lag, or without a photo output, the window is 0 and the ring keeps no past.
  @Test func withoutZeroShutterLagTheWindowIsEmpty() {
    #expect(resolve { $0.photo?.zeroShutterLag = false }.resolved.zeroShutterLagWindow == 0)
    #expect(resolve { $0.photo = nil }.resolved.zeroShutterLagWindow == 0)
  }

  /// A configuration without connections connects every output, and only the output `preview` is the main preview.
  @Test func everyOutputIsConnectedByDefault() {
    let (resolved, issues) = resolve {
      $0.additionalPreviews = [.init(id: "second")]
      $0.videoData = [.init(id: "data")]
    }
    #expect(issues.isEmpty)
    #expect(resolved.outputs.map(\.id) == ["preview", "photo", "second", "data"])
    #expect(resolved.outputs.allSatisfy { $0.connection == Connection() })
    #expect(resolved.outputs.map(\.isMain) == [true, false, false, false])
    #expect(resolved.deferredOutputs == ["photo", "second"])
  }

  /// A configuration that names connections connects only the outputs that it names, disabled ones too.
  @Test func outputsWithoutAConnectionAreNotConnected() {
    let (resolved, issues) = resolve {
      $0.connections = [.init(output: "photo", isEnabled: false, isMirrored: true, rotationAngle: 90)]
    }
    #expect(issues.isEmpty)
    let orientation = Orientation(rotation: .quarter, isMirrored: true)
    #expect(resolved.outputs.map(\.connection) == [nil, Connection(isEnabled: false, orientation: orientation)])
  }

  /// An unknown input, a repeated or unknown output, an angle that is no multiple of 90° and an empty output are each
  /// reported for their field. The message about an unknown output names the outputs.
  @Test func badConnectionsAreReported() {
    let (_, issues) = resolve {
      $0.inputs[0].id = "front"
      $0.connections = [
        .init(input: "camera", output: "preview"), .init(input: "front", output: "preview"),
        .init(input: "front", output: "nobody"), .init(input: "front", output: "photo", rotationAngle: 45),
        .init(input: "front", output: ""),
      ]
    }
    #expect(
      issues.compactMap(\.field) == [
        "configuration.connections[0].input", "configuration.connections[1].output",
        "configuration.connections[2].output", "configuration.connections[3].video_rotation_angle",
        "configuration.connections[4].output",
      ])
    #expect(issues.allSatisfy { $0.reason == .invalidArgument })
    #expect(issues[2].message.contains("preview, photo"))
  }

  /// Missing and repeated ids, too many previews, queues that are out of range, queues of an output that discards late
  /// frames, and formats that Firstlight cannot give are each reported for their field.
  @Test func badOutputsAreReported() {
    let (_, issues) = resolve {
      $0.additionalPreviews = [.init(), .init(id: "photo")] + (1...6).map { .init(id: "p\($0)") }
      $0.videoData = [
        .init(id: "photo"), .init(id: "a", maxQueueDepth: 4),
        .init(id: "b", alwaysDiscardsLateFrames: false, maxQueueDepth: 65),
        .init(id: "c", alwaysDiscardsLateFrames: false, maxQueueDepth: 0),
        .init(id: "d", pixelFormat: "H264"), .init(id: "e", pixelFormat: "too long"),
      ]
    }
    #expect(
      Set(issues.map { "\($0.field ?? "") \($0.reason)" }) == [
        "configuration.additional_previews invalidArgument", "configuration.additional_previews[0].id invalidArgument",
        "configuration.additional_previews[1].id invalidArgument", "configuration.video_data[0].id invalidArgument",
        "configuration.video_data[1].max_queue_depth invalidArgument",
        "configuration.video_data[2].max_queue_depth invalidArgument",
        "configuration.video_data[3].max_queue_depth invalidArgument",
        "configuration.video_data[4].pixel_format unsupportedValue",
        "configuration.video_data[5].pixel_format invalidArgument",
      ])
    #expect(issues.count == 9)
  }

  /// A video data output without a format gives the camera's own. It has a queue, of 8 frames by default, only if it
  /// does not discard late frames. Only an output in a format that Firstlight can turn supports an orientation.
  @Test func videoDataGetsItsFormatAndQueue() {
    let (resolved, issues) = resolve {
      $0.videoData = [
        .init(id: "own"), .init(id: "grey", pixelFormat: "GREY"),
        .init(id: "queue", pixelFormat: "MJPG", alwaysDiscardsLateFrames: false),
      ]
    }
    #expect(issues.isEmpty)
    let outputs = resolved.outputs.suffix(3)
    let data = outputs.compactMap { if case .videoData(let data) = $0.kind { data } else { nil } }
    #expect(data.map(\.format) == [.mjpeg, .grey, .mjpeg])
    #expect(data.map(\.askedFormat) == [nil, .grey, .mjpeg])
    #expect(data.map(\.queueDepth) == [nil, nil, 8])
    #expect(outputs.map(\.supportsOrientation) == [false, true, false])
  }

  /// The values of a thermal camera can be turned and converted, and have no range. Photos are not merged of several
  /// such frames. Where the camera has a format that needs no conversion, a preset takes that one.
  @Test func wideGreyIsGivenAsItIs() throws {
    var thermal = Self.webcam
    thermal.formats = [Self.format(.y16, 160, 120, rates: [30])]
    var asked = SessionConfiguration()
    asked.inputs = [.init(deviceID: "cam")]
    asked.preview = .init()
    asked.photo = .init()
    asked.videoData = [.init(id: "own"), .init(id: "grey", pixelFormat: "GREY", range: .limited)]
    asked.connections = ["own", "grey", "preview", "photo"].map { .init(output: $0, rotationAngle: 90) }
    let (resolved, issues) = ConfigurationResolver.resolve(asked, devices: [thermal])
    #expect(issues.isEmpty)
    for output in resolved.outputs {
      switch output.kind {
      case .videoData(let data): #expect(data.availableFormats == [.y16, .abgr32, .nv12, .yuyv, .grey, .bgr32])
      case .photo(let photo): #expect(photo.supportedQuality == .speed && photo.features.maxQuality == .speed)
      default: break
      }
    }
    asked.videoData[0].range = .full
    asked.photo?.maxQuality = .balanced
    let refused = ConfigurationResolver.resolve(asked, devices: [thermal]).issues
    #expect(
      Set(refused.compactMap(\.field)) == [
        "configuration.photo.max_quality_prioritization", "configuration.video_data[0].color_range",
      ])
    thermal.formats.append(Self.format(.grey, 160, 120, rates: [30]))
    #expect(
      ConfigurationResolver.resolve(asked, devices: [thermal]).resolved.input?.request.pixelFormat == .grey)
  }

  /// An output that gives the camera's JPEG as it is cannot mirror or rotate, and a connection that asks for either is
  /// refused. A connection that asks for neither is accepted.
  @Test func compressedFramesCannotBeTurned() {
    let (_, issues) = resolve {
      $0.videoData = [.init(id: "own"), .init(id: "grey", pixelFormat: "GREY")]
      $0.connections = [
        .init(output: "own", isMirrored: true, rotationAngle: 90),
        .init(output: "grey", isMirrored: true, rotationAngle: 90),
        .init(output: "preview", rotationAngle: 180),
      ]
    }
    #expect(issues.map(\.reason) == [.notSupportedInConfiguration, .notSupportedInConfiguration])
    #expect(
      issues.compactMap(\.field) == [
        "configuration.connections[0].video_mirrored", "configuration.connections[0].video_rotation_angle",
      ])
    let (_, explicitFalse) = resolve {
      $0.videoData = [.init(id: "own")]
      $0.connections = [.init(output: "own", isMirrored: false, rotationAngle: 0)]
    }
    #expect(explicitFalse.isEmpty)
  }

  /// The ring keeps as many frames as the window has, but no more than fit into its memory, and the plan tells the
  /// shorter window. The newest frame is always kept.
  @Test func theRingPlanKeepsToItsBudget() throws {
    let small = StreamFormat(
      devicePixelFormat: .nv12, layout: try #require(FrameLayout.packed(.nv12, Size(width: 640, height: 360))),
      frameRate: Rational(30, 1))
    #expect(RingPlan(window: 600_000_000, format: small).limits.maximumFrames == 19)
    #expect(RingPlan(window: 600_000_000, format: small).windowNanoseconds == 600_000_000)
    let large = StreamFormat(
      devicePixelFormat: .yuyv, layout: try #require(FrameLayout.packed(.yuyv, Size(width: 3840, height: 2160))),
      frameRate: Rational(60, 1))
    let plan = RingPlan(window: 5_000_000_000, format: large)
    #expect(plan.limits.maximumFrames == RingPlan.ringBudget / large.layout.byteCount)
    #expect(plan.windowNanoseconds < 200_000_000, "the plan tells the window that fits")
    #expect(RingPlan(window: 0, format: large).limits.maximumFrames == 1)
  }

  /// Besides the frames of the ring, the pool has memory to lend eight frames to readers and captures, with any window.
  @Test(arguments: [0, 600_000_000] as [UInt64]) func thePoolCanLendEightFramesBesidesTheRing(window: UInt64) throws {
    // The size of a frame in this format is not a whole number of pages, so that rounding up to pages matters.
    let layout = try #require(FrameLayout.packed(.nv12, Size(width: 3840, height: 2160)))
    let plan = RingPlan(
      window: window, format: StreamFormat(devicePixelFormat: .nv12, layout: layout, frameRate: Rational(30, 1)))
    let pool = FramePool(budget: plan.poolBudget, kept: plan.ringBytes)
    let frame = pool.take(layout.byteCount)?.freeze(count: layout.byteCount)
    #expect(frame?.room == 8)
  }
}
