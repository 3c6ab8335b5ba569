import Logging
import Synchronization
import Testing

@testable import GRPCTransport

/// The log tells of cut connections at most once a minute, so that an attack cannot flood the log.
struct CutLogTests {
  /// The first cut is logged at once. Further cuts are counted, and the first cut after a minute logs the number of all
  /// of them and the address of the last one.
  @Test func logsTheFirstCutAtOnceAndFurtherCutsOncePerMinute() {
    let lines = Lines()
    let log = CutLog(logger: Logger(label: "test") { _ in LinesHandler(lines: lines) })
    let start = ContinuousClock.now
    log.add(.calls, peer: "ipv4:192.0.2.1:4711", now: start)
    #expect(
      lines.take() == [["client.address": "ipv4:192.0.2.1:4711", "excess.calls": "1", "excess.bytes": "0"]])
    for second in 1..<60 {
      log.add(second % 2 == 0 ? .calls : .bytes, peer: "ipv4:192.0.2.2:1", now: start + .seconds(second))
    }
    #expect(lines.take().isEmpty)
    log.add(.bytes, peer: "ipv4:192.0.2.3:1", now: start + .seconds(60))
    // The line counts the cuts since the previous line and names the address of the last cut.
    #expect(
      lines.take() == [["client.address": "ipv4:192.0.2.3:1", "excess.calls": "29", "excess.bytes": "31"]])
    log.add(.bytes, peer: "ipv4:192.0.2.3:1", now: start + .seconds(61))
    #expect(lines.take().isEmpty)
    log.add(.bytes, peer: "ipv4:192.0.2.3:1", now: start + .seconds(600))
    #expect(lines.take().map { $0["excess.bytes"] } == ["2"])
  }
}

/// The metadata of the logged lines.
private final class Lines: Sendable {
  private let lines = Mutex<[[String: String]]>([])

  func add(_ metadata: Logger.Metadata) { lines.withLock { $0.append(metadata.mapValues(\.description)) } }

  func take() -> [[String: String]] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

private struct LinesHandler: LogHandler {
  let lines: Lines
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { lines.add(event.metadata ?? [:]) }
}
