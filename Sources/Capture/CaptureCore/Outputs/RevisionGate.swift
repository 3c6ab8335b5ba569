/// Keeps an output from turning back to an earlier revision of the configuration. A commit may give the output another
/// camera while the thread of the former one is on its way to the output with a frame, which then comes after frames of
/// the other camera. A value.
public struct RevisionGate: Sendable {
  /// The revision of the newest frame.
  private var newest: UInt64 = 0

  /// Makes a gate that lets any frame pass first.
  public init() {}

  /// Takes the revision by which the next frames come. It is lower than that of former frames when a commit has failed
  /// whose cameras streamed already.
  public mutating func expect(_ revision: UInt64) { newest = min(newest, revision) }

  /// Whether the output takes the frame, and not one of a former camera.
  public mutating func passes(_ frame: CapturedFrame) -> Bool {
    guard frame.configRevision >= newest else { return false }
    newest = frame.configRevision
    return true
  }
}
