import CaptureCore
import Testing

@testable import CaptureSessions

/// Tests which outputs a commit keeps, makes and closes, and when the commit restarts the device. A commit that changes
/// more than necessary interrupts readers.
@Suite struct CommitPlanTests {
  private static let former = ResolvedConfiguration.example()

  /// The plan of a commit that changes the example configuration.
  ///
  /// - Parameter prepared: the ids of the outputs that are prepared before the commit.
  private func plan(
    isStreaming: Bool = true, prepared: Set<String> = ["preview", "photo"],
    _ change: (inout ResolvedConfiguration) -> Void
  ) -> CommitPlan {
    var next = Self.former
    change(&next)
    return CommitPlan(from: Self.former, to: next, isStreaming: isStreaming, prepared: prepared)
  }

  /// A commit of the same configuration keeps every output and restarts nothing.
  @Test func anEqualConfigurationChangesNothing() {
    let plan = plan { _ in }
    #expect(plan.kept == ["preview", "photo"])
    #expect(plan.added.isEmpty && plan.removed.isEmpty && plan.preparedFirst.isEmpty)
    #expect(plan.restart == nil)
  }

  /// The camera delivers NV12. An output that was made for the camera's own format serves a configuration that names
  /// this format, and the other way round, so that the output's readers stay. An output that was made for another
  /// format or queue is replaced.
  @Test(
    arguments: [
      (nil, "NV12", true), ("NV12", nil, true), ("NV12", "NV12", true), (nil, "YUYV", false), ("YUYV", nil, false),
    ] as [(String?, String?, Bool)])
  func namingTheCamerasOwnFormatEqualsNamingNone(made: String?, wanted: String?, isKept: Bool) {
    func kind(_ name: String?, depth: Int? = nil) -> ResolvedConfiguration.Kind {
      var data = ResolvedConfiguration.VideoData(
        askedFormat: name.flatMap(PixelFormat.init(fourCC:)), queueDepth: depth)
      data.availableFormats = [.nv12, .yuyv]
      return .videoData(data)
    }
    var next = Self.former
    next.outputs.append(ResolvedConfiguration.Output(id: "data", deferredStart: false, kind: kind(wanted)))
    func keeps(_ made: ResolvedConfiguration.Kind) -> Bool {
      CommitPlan(from: next, to: next, isStreaming: true, prepared: [], made: ["data": made]).kept.contains("data")
    }
    #expect(keeps(kind(made)) == isKept)
    #expect(!keeps(kind(made, depth: 4)), "an output with another queue is replaced")
  }

  /// Adding and removing outputs does not restart the device, and an added output is prepared before the commit takes
  /// over.
  @Test func outputsChangeWithoutADeviceRestart() {
    let plan = plan {
      $0.outputs = [.init(id: "wall", deferredStart: false, kind: .preview(isMain: true)), $0.outputs[1]]
    }
    #expect(plan.kept == ["photo"])
    #expect(plan.added.map(\.id) == ["wall"])
    #expect(plan.removed == ["preview"])
    #expect(plan.preparedFirst == ["wall"])
    #expect(plan.restart == nil)
  }

  /// The pictures of a composition come with the frames of its first layer's camera, so its outputs learn of a restart
  /// of that camera, and of no other.
  @Test(arguments: [0, 1]) func aRestartOfTheFirstLayerDisturbsTheOutputsOfTheComposition(restarted: Int) {
    var former = Self.former
    former.inputs.append(.init(id: "other", source: .device("fake-1"), request: former.inputs[0].request))
    let layers = former.inputs.map {
      CompositionLayer(input: $0.id, rectangle: .init(x: 0, y: 0, size: Size(width: 64, height: 36)))
    }
    let layout = CompositionLayout(size: Size(width: 64, height: 36), frameRate: Rational(30, 1), layers: layers)
    former.inputs.append(.init(id: "both", composition: layout))
    former.outputs[0].camera = 2
    var next = former
    next.inputs[restarted].request.frameRate = Rational(15, 1)
    let plan = CommitPlan(from: former, to: next, isStreaming: true, prepared: ["preview", "photo"])
    #expect(plan.disturbed == (restarted == 0 ? ["preview", "photo"] : []))
  }

  /// A change of what photos are made with keeps the photo output and counts as lengthy while the device streams,
  /// because photos in flight end. A change of deferral is not lengthy; a change of rate is, because it restarts the
  /// device.
  @Test func photoFeaturesAreALengthyChangeThatKeepsTheOutput() {
    func change(_ resolved: inout ResolvedConfiguration) { resolved.outputs[1].photo?.features.zeroShutterLag = false }
    let features = plan(change)
    #expect(features.kept == ["preview", "photo"])
    #expect(features.isLengthy && features.restart == nil)
    let stopped = plan(isStreaming: false, change)
    #expect(!stopped.isLengthy)
    let deferral = plan { $0.outputs[1].deferredStart = false }
    #expect(!deferral.isLengthy)
    let rate = plan { $0.input?.request.frameRate = Rational(15, 1) }
    #expect(rate.isLengthy)
    let controls = plan { $0.outputs[1].photo?.features.shots.biases = -1...1 }
    #expect(
      !controls.isLengthy,
      "the capabilities for shots follow from the camera's controls, so a difference in them is no change")
  }

  /// An id that names an output of another kind closes the former output and makes a new one.
  @Test func anotherKindUnderTheSameIDReplacesTheOutput() {
    let plan = plan { $0.outputs[1].kind = .preview(isMain: false) }
    #expect(plan.kept == ["preview"])
    #expect(plan.added.map(\.id) == ["photo"])
    #expect(plan.removed == ["photo"])
    #expect(plan.preparedFirst.isEmpty, "the new output is deferred, so the commit does not prepare it")
  }

  /// While the device streams, an output that is no longer deferred is prepared before the commit takes over, unless it
  /// is prepared already.
  @Test func anOutputThatIsNoLongerDeferredIsPreparedFirst() {
    let now = plan(prepared: ["preview"]) { $0.outputs[1].deferredStart = false }
    #expect(now.preparedFirst == ["photo"])
    let before = plan(prepared: ["preview", "photo"]) { $0.outputs[1].deferredStart = false }
    #expect(before.preparedFirst.isEmpty, "the output is prepared already")
    let stopped = plan(isStreaming: false, prepared: []) { $0.outputs[1].deferredStart = false }
    #expect(stopped.preparedFirst.isEmpty, "the next start prepares the output")
  }

  /// A commit restarts a streaming device for another device, another format or another rate, and for nothing else,
  /// because each restart is a pause for all readers.
  @Test func theDeviceRestartsOnlyForDeviceFormatOrRate() {
    #expect(plan { $0.input?.source = .device("other") }.restart == .device)
    #expect(plan { $0.input?.request.size = Size(width: 320, height: 180) }.restart == .format)
    #expect(plan { $0.input?.request.pixelFormat = .yuyv }.restart == .format)
    #expect(plan { $0.input?.request.frameRate = Rational(15, 1) }.restart == .frameRate)
    #expect(plan { $0.input?.id = "renamed" }.restart == nil, "the id of an input is only a name")
    #expect(plan { $0.zeroShutterLagWindow = 0 }.restart == nil)
    #expect(plan(isStreaming: false) { $0.input?.source = .device("other") }.restart == nil)
  }

  /// For 10,000 random pairs of configurations, the plan leads from the first to the second: closing and making the
  /// planned outputs gives exactly the wanted ones, all others are kept, and the device restarts only if its stream
  /// changes.
  @Test func plansAreCompleteForRandomConfigurations() {
    for seed in 0..<10_000 as Range<UInt64> {
      var generator = SplitMix(state: seed)
      let (former, next) = (ResolvedConfiguration.random(&generator), ResolvedConfiguration.random(&generator))
      let prepared = Set(former.outputs.map(\.id).filter { _ in Bool.random(using: &generator) })
      let isStreaming = Bool.random(using: &generator)
      let plan = CommitPlan(from: former, to: next, isStreaming: isStreaming, prepared: prepared)
      let wanted = Dictionary(uniqueKeysWithValues: next.outputs.map { ($0.id, $0.kind) })
      var there = Dictionary(uniqueKeysWithValues: former.outputs.map { ($0.id, $0.kind) })
      for id in plan.removed { #expect(there.removeValue(forKey: id) != nil, "seed \(seed)") }
      #expect(Set(there.keys) == plan.kept, "seed \(seed)")
      for output in plan.added { #expect(there.updateValue(output.kind, forKey: output.id) == nil, "seed \(seed)") }
      #expect(there == wanted, "seed \(seed)")
      #expect(Set(plan.preparedFirst).isDisjoint(with: next.deferredOutputs), "seed \(seed)")
      #expect(isStreaming || (plan.restart == nil && plan.preparedFirst.isEmpty), "seed \(seed)")
      let same = former.input?.deviceID == next.input?.deviceID && former.input?.request == next.input?.request
      #expect((plan.restart == nil) == (same || !isStreaming), "seed \(seed)")
    }
  }
}

extension ResolvedConfiguration {
  /// A configuration with a preview and a deferred photo output.
  fileprivate static func example() -> ResolvedConfiguration {
    let request = StreamRequest(
      pixelFormat: .nv12, size: Size(width: 640, height: 360), frameRate: Rational(30, 1))
    return ResolvedConfiguration(
      inputs: [.init(id: "camera", source: .device("fake-0"), request: request)], preset: .high,
      automaticallyRunsDeferredStart: true,
      outputs: [
        .init(id: "preview", deferredStart: false, kind: .preview(isMain: true)),
        .init(id: "photo", deferredStart: true, kind: .photo(.init())),
      ], zeroShutterLagWindow: 600_000_000)
  }

  /// The example with random names, devices, rates and outputs.
  fileprivate static func random(_ generator: inout SplitMix) -> ResolvedConfiguration {
    var configuration = example()
    configuration.input?.id = ["camera", "renamed"].randomElement(using: &generator)!
    configuration.input?.source = .device(["fake-0", "fake-1"].randomElement(using: &generator)!)
    configuration.input?.request.frameRate = [Rational(30, 1), Rational(15, 1)].randomElement(using: &generator)!
    let kinds: [Kind] = [.preview(isMain: true), .photo(.init())]
    configuration.outputs = ["a", "b", "c"].filter { _ in Bool.random(using: &generator) }.map {
      Output(
        id: $0, deferredStart: Bool.random(using: &generator), kind: kinds.randomElement(using: &generator)!)
    }
    return configuration
  }
}
