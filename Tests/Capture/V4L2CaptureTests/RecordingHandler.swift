import Logging

/// A log handler that keeps what warnings and errors say: the error that they are about, or their message.
struct RecordingHandler: LogHandler {
  let lines: Locked<[String]>
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.warning

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let line = event.metadata?["error.message"].map { "\($0)" } ?? "\(event.message)"
    lines.withLock { $0.append(line) }
  }
}
