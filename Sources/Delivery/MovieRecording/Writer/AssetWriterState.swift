public import CaptureCore

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
