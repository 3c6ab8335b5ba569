public import CaptureCore
internal import Locking
internal import SystemClocks

/// The writers of the daemon. Thread-safe.
public final class AssetWriters: Sendable {
  /// The most writers that are not over.
  public static let maximumRunning = 16
  /// The most writers that are over.
  public static let maximumOver = 64

  private let recordings: Recordings
  /// The newest is the last.
  private let writers = Locked<[AssetWriter]>([])

  /// - Parameter recordings: keeps the movies.
  public init(_ recordings: Recordings) { self.recordings = recordings }

  /// Makes a writer, and forgets the oldest that are over.
  ///
  /// - Throws: as ``WriterConfiguration/check()``; `tooManyRequests`.
  public func create(_ configuration: WriterConfiguration) async throws(CaptureError) -> AssetWriter {
    try await configuration.checkOnThread()
    let writer = AssetWriter(id: RandomToken.make(words: 2), configuration, recordings)
    try writers.withLock { writers throws(CaptureError) in
      var over = writers.filter { $0.state.isOver }.count
      guard writers.count - over < Self.maximumRunning else {
        throw CaptureError(
          .tooManyRequests, "There are \(Self.maximumRunning) writers already; finish or cancel some first.",
          metadata: ["limit": "\(Self.maximumRunning)"])
      }
      writers.removeAll { writer in
        guard over > Self.maximumOver, writer.state.isOver else { return false }
        over -= 1
        return true
      }
      writers.append(writer)
    }
    writer.watchIdleness()
    return writer
  }

  /// The writer with this id, which counts as used.
  ///
  /// - Throws: `writerNotFound`.
  public func writer(_ id: String) throws(CaptureError) -> AssetWriter {
    guard let writer = writers.withLock({ $0.last { $0.id == id } }) else {
      let id = String(id.prefix(80))
      throw CaptureError(
        .writerNotFound, "There is no writer \(id); create one. Its recording may be there nevertheless.",
        metadata: ["writer": id])
    }
    writer.touch()
    return writer
  }

  /// All writers, the oldest first.
  public var all: [AssetWriterState] { writers.withLock { $0 }.map(\.state) }
}

/// A writer at one moment, as clients get it.
public struct AssetWriterState: Hashable, Sendable {
  /// How far a writer is.
  public enum Status: Hashable, Sendable {
    /// The writer has not started.
    case unknown
    /// The writer takes samples, or completes its file.
    case writing
    /// The file is complete and on the storage.
    case completed
    /// The file could not be made or written.
    case failed(CaptureError)
    /// There is no file.
    case cancelled
  }

  /// The id of the writer.
  public let id: String
  /// How far the writer is.
  public let status: Status
  /// What the writer writes.
  public let configuration: WriterConfiguration
  /// Whether the writer takes no more samples.
  public let isSessionEnded: Bool
  /// The id of the recording. Nil when there is none.
  public let recording: String?
  /// The inputs: that of pictures, then those of sound.
  public let inputs: [WriterInput]

  /// Whether the writer changes no more.
  public var isOver: Bool {
    switch status {
    case .completed, .failed, .cancelled: true
    case .unknown, .writing: false
    }
  }

  init(_ machine: AssetWriterStateMachine, recording: String?) {
    id = machine.id
    configuration = machine.configuration
    isSessionEnded = machine.isSessionEnded
    inputs = machine.inputs
    status =
      switch machine.state {
      case .unknown, .opening: .unknown
      case .writing, .finishing, .cancelling: .writing
      case .completed: .completed
      case .failed(let error): .failed(error)
      case .cancelled: .cancelled
      }
    self.recording = status == .cancelled ? nil : recording
  }
}

/// How long nobody has used a writer, as a value.
struct WriterIdleness: Sendable {
  private var uses = 0
  private var lastUse: MonotonicInstant

  init(now: MonotonicInstant) { lastUse = now }

  /// Notes that a call named the writer.
  mutating func touch(now: MonotonicInstant) { lastUse = now }

  /// Notes that something uses the writer until ``endUse(now:)``.
  mutating func beginUse() { uses += 1 }

  /// Notes the end of a use.
  mutating func endUse(now: MonotonicInstant) {
    uses -= 1
    lastUse = now
  }

  /// The nanoseconds until the writer has been idle for `timeout`; 0 when it has been, and `timeout` while it is used.
  func remaining(of timeout: UInt64, now: MonotonicInstant) -> UInt64 {
    uses > 0 ? timeout : timeout - min(timeout, now.nanoseconds(since: lastUse))
  }
}
