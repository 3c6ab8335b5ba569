import CaptureCore
import CaptureTestKit

@testable import CaptureSessions

/// The composition of a walk. A fake composes nothing, so what it got and what it was told stands for its pictures.
extension CameraWalk {
  /// The composition that the session has; nil for none.
  var both: FakeComposition? { bench.compositions.all.last { $0.closings.count == 0 } }

  /// The stream of the composition; nil while it has none.
  var composedSource: FakeSource? { both?.sources.all.last { $0.isLive } }

  /// Lets the composition bring a picture with the layers that it was told last.
  func compose() {
    guard let both, let source = composedSource, let plan = both.plans.all.last else { return }
    source.send(ofRevision: plan.revision)
  }

  /// Checks that the session has the composition of the committed configuration, with its layers.
  func checkComposition() throws {
    guard let composed = committed.composed else {
      return try hold(both == nil, "there is a composition")
    }
    let isAway = committed.clock.map { away.contains($0.device) } ?? false
    if !isAway { try hold((composedSource != nil) == composed.isEnabled, "the composition streams or does not") }
    guard let plan = both?.plans.all.last else { return try hold(!composed.isEnabled, "the composition has no layers") }
    let cameras = committed.cameras.filter { camera in composed.layers.contains { $0.input == camera.input } }
    try hold(plan.layers == composed.composition.layers, "the composition has the layers \(plan.layers)")
    try hold(plan.revision == revision, "the layers have revision \(plan.revision), not \(revision)")
    let expected = Dictionary(uniqueKeysWithValues: cameras.map { ("cam-\($0.input)", "fake-\($0.device)") })
    try hold(plan.cameras == expected, "the layers show \(plan.cameras), not \(expected)")
  }

  /// Checks what came to the composition and from it since the last check: only frames of cameras that it shows under
  /// the revision that the frame names, every frame of a camera that no commit touched, and its own pictures under
  /// their revision.
  ///
  /// - Parameters:
  ///   - former: the configuration before, and its revision.
  ///   - kept: the streams of cameras that no commit touched.
  ///   - stream: the stream of the composition before; nil for none, and when the commit was to end it.
  func checkComposedFrames(
    since former: (set: CameraSet, revision: UInt64), kept: Set<UInt64>, stream: FakeSource?
  ) throws {
    let devices = bench.provider.sources.all.reduce(into: [:]) { $0[$1.streamID] = $1.deviceID }
    let got = bench.compositions.all.flatMap { composition in
      defer { composition.frames.removeAll() }
      return composition.frames.all
    }
    func set(of revision: UInt64) -> CameraSet { revision == self.revision ? committed : former.set }
    for frame in got {
      let name = "the composition at \(frame.configRevision)"
      try hold([former.revision, revision].contains(frame.configRevision), "\(name): unknown revision")
      let set = set(of: frame.configRevision)
      let camera = set.cameras.first { "cam-\($0.input)" == frame.input }
      try hold(camera.map { set.composed?.shows($0.input) ?? false } ?? false, "\(name) got \(frame.input)")
      let device = devices[frame.frame.streamID] ?? "-"
      try hold(camera.map { "fake-\($0.device)" } == device, "\(name) got \(device) as \(frame.input)")
    }
    for device in former.set.shownDevices.intersection(committed.shownDevices) {
      guard let source = sources[device], kept.contains(source.streamID), both != nil, stream === composedSource else {
        continue
      }
      let came = got.filter { $0.frame.streamID == source.streamID }.map(\.frame.sequence)
      let all = sent[source.streamID] ?? []
      try hold(came == all, "the composition got \(came) of \(all) of fake-\(device)")
    }
    let pictures = bench.output("composed")!.frames
    defer { pictures.removeAll() }
    try hold(pictures.all.map(\.configRevision) == pictures.all.map(\.configRevision).sorted(), "composed: order")
    for picture in pictures.all {
      let composed = set(of: picture.configRevision).composed
      try hold(picture.input == "both" && composed?.isEnabled == true, "composed got \(picture.input)")
    }
    if let source = composedSource, committed.composed?.isEnabled == true {
      let last = pictures.all.last
      try hold(last?.configRevision == revision && last?.frame.streamID == source.streamID, "composed got no picture")
    }
    // A composition that both configurations have goes on, whatever the commit does to its layers.
    if let stream, former.set.composed?.isEnabled == true, committed.composed?.isEnabled == true {
      try hold(stream === composedSource && stream.stops.count == 0, "the composition was restarted")
    }
  }
}
