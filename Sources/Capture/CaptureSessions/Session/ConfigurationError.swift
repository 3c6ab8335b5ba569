public import CaptureCore

/// Everything that stands against a configuration.
public struct ConfigurationError: Error, Sendable {
  /// Never empty; the first one decides the error's code.
  public var issues: [CaptureError]

  public init(issues: [CaptureError]) { self.issues = issues }
}
