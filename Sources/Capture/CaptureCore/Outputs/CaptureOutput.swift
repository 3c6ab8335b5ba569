/// A frame together with what the session knows about it.
///
/// An object, so that queues and readers hold it by one reference.
public final class CapturedFrame: Sendable {
  public let frame: Frame
  /// The `id` of the session's input.
  public let input: String
  /// The session's configuration when the frame was captured; grows with every commit.
  public let configRevision: UInt64
  /// The camera's name for people; empty where none is known.
  public let camera: String

  public init(frame: Frame, input: String, configRevision: UInt64, camera: String = "") {
    self.frame = frame
    self.input = input
    self.configRevision = configRevision
    self.camera = camera
  }

  /// The same of another frame, made of this one's.
  public func with(_ frame: Frame) -> CapturedFrame {
    CapturedFrame(frame: frame, input: input, configRevision: configRevision, camera: camera)
  }
}

/// Somewhere frames go: preview, photo, and later movie. The session knows its outputs only by this protocol.
///
/// Nothing waits for an output: each has a bounded mailbox of its own. They share the memory of the camera's frames, of which
/// whoever keeps some must leave others enough: see ``FrameBuffer/room``.
public protocol CaptureOutput: AnyObject, Sendable {
  /// Unique in the session.
  var id: String { get }

  /// Builds whatever is heavy (encoders, pools). Called once per commit: before the first frame, or by deferred start.
  func prepare() async throws(CaptureError)

  /// Takes one frame. Called on the capture thread, in order, prepared or not: keep it short, never block.
  func receive(_ frame: CapturedFrame)

  /// Takes the conditions that hold from now on. Readers stay; all they notice is the picture and the status.
  ///
  /// The session calls this when it adds the output, before the first frame, and then whenever a part of the conditions
  /// changes. Calls come one after the other. While the connection is disabled no frames come, and those do not count as
  /// dropped.
  func update(_ conditions: OutputConditions)

  /// Ends everything, each reader with `error`. The last call, but for a frame or a ``prepare()`` on its way: harmless.
  func close(_ error: CaptureError)

  /// What it was given so far; nil when it does not count.
  var counts: OutputCounts? { get }
}

extension CaptureOutput {
  public var counts: OutputCounts? { nil }
}

/// What an output was given since it was made, and who reads it.
public struct OutputCounts: Hashable, Sendable {
  /// Frames.
  public var received: UInt64
  /// What the source lost before frames reached the output.
  public var lost: DropCounts
  /// Readers attached now.
  public var readers: Int
  /// How evenly and how late they got their frames.
  public var cadence: Cadence

  public init(received: UInt64, lost: DropCounts, readers: Int, cadence: Cadence) {
    self.received = received
    self.lost = lost
    self.readers = readers
    self.cadence = cadence
  }
}

/// All that an output knows of its session.
public protocol OutputContext: AnyObject, Sendable {
  /// The session's id.
  var sessionID: String { get }

  /// The newest frames, kept by the source from STREAMON on.
  var history: any FrameHistory { get }

  /// How long a capture waits for a frame of the present stream before it is given up, nanoseconds.
  var framePatienceNanoseconds: UInt64 { get }

  /// Runs deferred start unless this commit already did, and returns when every deferred output is prepared.
  func runDeferredStartIfNeeded() async throws(CaptureError)

  /// Says that a reader of `output` was handed a frame. Cheap; call it for every frame.
  func didSend(_ frame: Frame, from output: String)

  /// Sets the camera for each step of `shot` in turn, and back when it is over, whatever became of it. Nothing else happens
  /// to the session meanwhile; shots wait for one another.
  ///
  /// - Parameters:
  ///   - isWanted: asked when its turn has come; when it says no, the camera is left alone.
  ///   - take: takes a step's frames. Cancelled when they cannot come any more.
  /// - Returns: the instant from which frames are as before, CLOCK_MONOTONIC.
  /// - Throws: ``ShotFailure`` once the camera was touched, because of what `take` threw, of what the camera says to its
  ///   settings, or `operationInterrupted` when it brought no frame in ``framePatienceNanoseconds``. Before that
  ///   `sessionNotRunning`, `operationInterrupted`, or `CancellationError` when nobody wants it any more.
  func shoot(
    _ shot: Shot, while isWanted: @escaping @Sendable () -> Bool,
    _ take: @escaping @Sendable (_ step: Int, _ conditions: ShotConditions) async throws -> Void
  ) async throws -> UInt64
}

/// The instant a photo is asked for.
public enum CaptureMoment: Hashable, Sendable {
  /// The very frame the person saw. Without a stream id: of the current stream.
  case sequence(UInt64, streamID: UInt64?)
  /// Wall clock, nanoseconds since the Unix epoch.
  case wallTime(UInt64)
  /// CLOCK_MONOTONIC, nanoseconds.
  case monotonic(UInt64)
}

/// Recent frames, findable by what a person saw or when.
public protocol FrameHistory: Sendable {
  /// The frame at `moment`, or the nearest one.
  ///
  /// - Returns: nil when no frame is kept. `exact` is false when the sequence asked for is not kept, or the time is before or
  ///   after what is: by more than half a period, since a frame stands for the time around it.
  func frame(nearest moment: CaptureMoment) -> (frame: CapturedFrame, exact: Bool)?

  /// The newest frame.
  var newest: CapturedFrame? { get }

  /// Frames of streams before this one are over, also while the present one has no frame yet: nobody is to be shown them.
  var earliestStreamID: UInt64 { get }
}

extension FrameHistory {
  public var earliestStreamID: UInt64 { 0 }

  /// Whether an instant is among those of `count` frames, the oldest and the newest of them at these times.
  public static func covers(_ instant: UInt64, count: Int, oldest: UInt64, newest: UInt64) -> Bool {
    let half = count > 1 ? (newest - min(newest, oldest)) / UInt64(2 * (count - 1)) : 0
    return instant >= oldest - min(oldest, half) && instant <= newest + half
  }
}
