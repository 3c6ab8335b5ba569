internal import CaptureCore

/// What a commit changes, computed before anything is done. A value.
struct CommitPlan: Hashable, Sendable {
  /// Why the device has to be restarted.
  enum Restart: Hashable, Sendable { case device, format, frameRate }

  /// Outputs that stay, with their readers; by id.
  let kept: Set<String>
  /// Outputs to be made, in the configuration's order.
  let added: [ResolvedConfiguration.Output]
  /// Outputs to be closed; an id that is in `added` too is replaced.
  let removed: Set<String>
  /// Nil: the device streams on, or none streams.
  let restart: Restart?
  /// Outputs that must be prepared before the commit holds, in the configuration's order: none unless streaming.
  let preparedFirst: [String]
  /// Whether photos in flight end, and it is told when it begins and ends.
  let isLengthy: Bool

  /// - Parameters:
  ///   - isStreaming: whether a device streams for `former` now.
  ///   - prepared: outputs of `former` that are prepared.
  ///   - made: what the outputs there are were made for, by id; nil: what `former` says.
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
      // What the camera can be asked for follows from its controls, which any client may set meanwhile.
      former.shots = next.shots
      return former != next
    }
    isLengthy = restart != nil || isStreaming && isMadeOtherwise
    preparedFirst = isStreaming ? next.outputs.map(\.id).filter { !ready.contains($0) } : []
  }

  /// An input's id is a name, not a device: a change of it restarts nothing.
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
  /// Whether an output that was made for `made` gives just what this one asks for. Naming the camera's own format and naming
  /// none are the same as long as the camera gives that format.
  fileprivate func isServed(by made: ResolvedConfiguration.Kind) -> Bool {
    switch (made, kind) {
    case (.preview, .preview), (.photo, .photo): true
    case (.videoData(let made), .videoData(let wanted)):
      (made.range, made.queueDepth) == (wanted.range, wanted.queueDepth)
        && (made.askedFormat == wanted.askedFormat
          || (wanted.format != nil && (made.askedFormat ?? wanted.availableFormats.first) == wanted.format))
    default: false
    }
  }
}
