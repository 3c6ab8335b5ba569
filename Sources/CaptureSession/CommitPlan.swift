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
  init(
    from former: ResolvedConfiguration, to next: ResolvedConfiguration, isStreaming: Bool, prepared: Set<String>
  ) {
    let kinds = Dictionary(former.outputs.map { ($0.id, $0.kind) }) { first, _ in first }
    let kept = Set(next.outputs.filter { kinds[$0.id] == $0.kind }.map(\.id))
    let deferred = Set(next.deferredOutputs)
    self.kept = kept
    added = next.outputs.filter { !kept.contains($0.id) }
    removed = Set(kinds.keys).subtracting(kept)
    restart = isStreaming ? Self.restart(from: former.input, to: next.input) : nil
    let ready = kept.intersection(prepared).union(deferred)
    let photos = Dictionary(former.outputs.map { ($0.id, $0.photo) }) { first, _ in first }
    let isMadeOtherwise = next.outputs.contains { output in
      guard kept.contains(output.id), var photo = photos[output.id] else { return false }
      // What the camera can be asked for follows from its controls, which anybody may set meanwhile.
      photo.shots = output.photo.shots
      return photo != output.photo
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
