public import CaptureCore

/// An error that lists every issue with a configuration.
public struct ConfigurationError: Error, Sendable {
  /// The issues, at least one. The first one decides the error's code.
  public var issues: [CaptureError]

  /// - Parameter issues: every issue with the configuration, at least one.
  public init(issues: [CaptureError]) { self.issues = issues }
}
