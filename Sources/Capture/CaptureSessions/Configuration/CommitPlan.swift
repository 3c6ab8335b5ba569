internal import CaptureCore

/// The changes that a commit makes, computed before the commit does anything. A value.
struct CommitPlan: Hashable, Sendable {
  /// The reason why a camera must be restarted.
  enum Restart: Hashable, Sendable { case device, format, frameRate }

  /// The ids of outputs that the commit keeps, together with their readers.
  let kept: Set<String>
  /// Outputs that the commit makes, in the order of the configuration.
  let added: [ResolvedConfiguration.Output]
  /// The ids of outputs that the commit closes. An id that is also in ``added`` is replaced.
  let removed: Set<String>
  /// What the commit does to each camera.
  let cameras: CameraChanges
  /// Why the commit restarts a camera. Nil when all go on streaming, or when none streams.
  var restart: Restart? { cameras.restart }
  /// The ids of outputs that must be prepared before the commit takes over, in the order of the configuration. While no
  /// device streams, they are those of the cameras that the commit starts.
  let preparedFirst: [String]
  /// The ids of kept outputs whose camera the commit restarts, that get another camera, or that it makes photos with in
  /// another way. The camera of a composition's outputs is also that of its first layer, and a photo output may have
  /// several cameras. Photos in flight of these outputs end.
  let disturbed: Set<String>
  /// Whether the commit restarts a camera or changes what photos are made with. Events then report when the commit
  /// begins and ends.
  let isLengthy: Bool

  /// - Parameters:
  ///   - isStreaming: whether the session runs for `former` now.
  ///   - prepared: the ids of `former`'s outputs that are prepared.
  ///   - made: the kind that each existing output was made for, by output id; nil takes the kinds from `former`.
  ///   - slots: the pipelines of the cameras before and after the commit.
  ///   - present: what the cameras do now; nil for all cameras streaming if `isStreaming`, and else none.
  init(
    from former: ResolvedConfiguration, to next: ResolvedConfiguration, isStreaming: Bool, prepared: Set<String>,
    made: [String: ResolvedConfiguration.Kind]? = nil, slots: (CameraSlots, CameraSlots)? = nil,
    present: CameraChanges.Present? = nil
  ) {
    let before = CameraSlots().following(from: [], to: former.inputs)
    let slots = slots ?? (before, before.following(from: former.inputs, to: next.inputs))
    let present =
      present ?? .init(isOn: isStreaming, open: isStreaming ? Set(slots.0.used) : [])
    let cameras = CameraChanges(from: former, to: next, slots: slots, present)
    self.cameras = cameras
    let kinds = made ?? Dictionary(former.outputs.map { ($0.id, $0.kind) }) { first, _ in first }
    let kept = Set(next.outputs.filter { output in kinds[output.id].map(output.isServed) ?? false }.map(\.id))
    let deferred = Set(next.deferredOutputs)
    self.kept = kept
    added = next.outputs.filter { !kept.contains($0.id) }
    removed = Set(kinds.keys).subtracting(kept)
    let ready = kept.intersection(prepared).union(deferred)
    let outputs = Dictionary(former.outputs.map { ($0.id, $0) }) { first, _ in first }
    let restarted = Set(cameras.restarted)
    var isMadeOtherwise = false
    disturbed = Set(
      next.outputs.filter { output in
        guard isStreaming, kept.contains(output.id), let former = outputs[output.id] else { return false }
        let (before, after) = (slots.0.slot(of: former.camera), slots.1.slot(of: output.camera))
        let isMoved = before != after && output.photo != nil
        if output.isMadeOtherwise(than: former) || isMoved { isMadeOtherwise = true }
        let constituents = output.constituents.map { slots.1.slot(of: $0.camera) }
        let sources = [after, slots.1.slot(of: next.clock(of: output.camera))] + constituents
        return output.isMadeOtherwise(than: former) || isMoved
          || sources.contains { $0.map(restarted.contains) ?? false }
      }.map(\.id))
    isLengthy = cameras.restart != nil || isMadeOtherwise
    let started = Set(cameras.started)
    let begin = next.outputs.filter { isStreaming || slots.1.slot(of: $0.camera).map(started.contains) ?? false }
    preparedFirst = begin.map(\.id).filter { !ready.contains($0) }
  }
}

extension ResolvedConfiguration.Output {
  /// Whether the output takes photos in another way than `former`, which has the same id.
  fileprivate func isMadeOtherwise(than former: ResolvedConfiguration.Output) -> Bool {
    guard var before = former.photo?.features, let after = photo?.features else { return false }
    // A difference in `shots` does not count, because the capabilities for shots follow from the camera's controls,
    // which any client may set at any time.
    before.shots = after.shots
    return before != after
  }

  /// Whether an output that was made for `made` serves this configuration without a change. An output that names the
  /// camera's own format equals one that names no format, as long as the camera delivers that format.
  fileprivate func isServed(by made: ResolvedConfiguration.Kind) -> Bool {
    switch (made, kind) {
    case (.preview, .preview), (.photo, .photo): true
    case (.videoData(let made), .videoData(let wanted)):
      (made.range, made.queueDepth) == (wanted.range, wanted.queueDepth)
        && (made.askedFormat == wanted.askedFormat
          || (wanted.format != nil && (made.askedFormat ?? wanted.availableFormats.first) == wanted.format))
    case (.movie(let made), .movie(let wanted)): made == wanted
    default: false
    }
  }
}

/// A configuration that may become the session's: the client's request, its resolution on the present cameras, and
/// every issue with it.
struct ConfigurationProposal: Sendable {
  var asked: SessionConfiguration
  var resolved: ResolvedConfiguration
  /// As ``CommittedConfiguration/formats``.
  var formats: [String: StreamFormat] = [:]
  var demand: CostDemand?
  /// Why the configuration cannot be committed; empty when it can.
  var issues: [CaptureError]
}

extension CaptureError {
  /// The same error, for a device that was present at the commit: a device that is unknown now was disconnected since
  /// then, so `deviceNotFound` becomes `deviceDisconnected`.
  var sinceCommit: CaptureError {
    guard reason == .deviceNotFound else { return self }
    return CaptureError(.deviceDisconnected, message, metadata: metadata, field: field)
  }
}
