internal import CaptureCore

/// The changes that a commit makes, computed before the commit does anything. A value.
struct CommitPlan: Hashable, Sendable {
  /// The reason why the device must be restarted.
  enum Restart: Hashable, Sendable { case device, format, frameRate }

  /// The ids of outputs that the commit keeps, together with their readers.
  let kept: Set<String>
  /// Outputs that the commit makes, in the order of the configuration.
  let added: [ResolvedConfiguration.Output]
  /// The ids of outputs that the commit closes. An id that is also in ``added`` is replaced.
  let removed: Set<String>
  /// Why the commit restarts the device. Nil when the device goes on streaming, or when no device streams.
  let restart: Restart?
  /// The ids of outputs that must be prepared before the commit takes over, in the order of the configuration. Empty
  /// unless a device streams.
  let preparedFirst: [String]
  /// Whether the commit restarts the device or changes what photos are made with. Photos in flight then end, and events
  /// report when the commit begins and ends.
  let isLengthy: Bool

  /// - Parameters:
  ///   - isStreaming: whether a device streams for `former` now.
  ///   - prepared: the ids of `former`'s outputs that are prepared.
  ///   - made: the kind that each existing output was made for, by output id; nil takes the kinds from `former`.
  init(
    from former: ResolvedConfiguration, to next: ResolvedConfiguration, isStreaming: Bool, prepared: Set<String>,
    made: [String: ResolvedConfiguration.Kind]? = nil
  ) {
    let kinds = made ?? Dictionary(former.outputs.map { ($0.id, $0.kind) }) { first, _ in first }
    let kept = Set(next.outputs.filter { output in kinds[output.id].map(output.isServed) ?? false }.map(\.id))
    let deferred = Set(next.deferredOutputs)
    self.kept = kept
    added = next.outputs.filter { !kept.contains($0.id) }
    removed = Set(kinds.keys).subtracting(kept)
    restart = isStreaming ? Self.restart(from: former.input, to: next.input) : nil
    let ready = kept.intersection(prepared).union(deferred)
    let photos = Dictionary(former.outputs.compactMap { output in output.photo.map { (output.id, $0.features) } }) {
      first, _ in first
    }
    let isMadeOtherwise = next.outputs.contains { output in
      guard kept.contains(output.id), var former = photos[output.id], let next = output.photo?.features else {
        return false
      }
      // A difference in `shots` does not count, because the capabilities for shots follow from the camera's controls,
      // which any client may set at any time.
      former.shots = next.shots
      return former != next
    }
    isLengthy = restart != nil || isStreaming && isMadeOtherwise
    preparedFirst = isStreaming ? next.outputs.map(\.id).filter { !ready.contains($0) } : []
  }

  /// Returns why the device must be restarted; nil when it can go on streaming. An input's id is only a name, so a
  /// change of the id restarts nothing.
  private static func restart(
    from former: ResolvedConfiguration.Input?, to next: ResolvedConfiguration.Input?
  ) -> Restart? {
    guard let former, let next else { return former == next ? nil : .device }
    if former.deviceID != next.deviceID { return .device }
    if former.request == next.request { return nil }
    var sameRate = next.request
    sameRate.frameRate = former.request.frameRate
    return sameRate == former.request ? .frameRate : .format
  }
}

extension ResolvedConfiguration.Output {
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
