internal import CaptureCore
internal import FirstlightAPI
internal import FrameDelivery
internal import Locking
internal import SwiftProtobuf

/// The requests of one program on the local socket, and the frames that the program holds. The thread of the connection
/// brings the program's packets, while a task sends the frames. Thread-safe.
final class SharedReader: Sendable {
  private struct State {
    var open: Firstlight_V1_SharedVideoDataOpen?
    var ledger = LeaseLedger()
    var reader: VideoDataReader?
    /// The error that ended the program's stream; `CancellationError` when the program is gone. Nil while the stream
    /// goes on.
    var ending: (any Error)?
    var waiter: CheckedContinuation<Void, any Error>?
  }
  private let state = Locked(State())

  /// Takes a packet of the program. A packet that breaks the protocol ends the program's stream.
  func receive(_ packet: [UInt8]) {
    do {
      let request = try Firstlight_V1_SharedVideoDataRequest(serializedBytes: packet)
      try receive(request)
    } catch let error as CaptureError {
      end(error)
    } catch {
      end(CaptureError(.invalidArgument, "A packet is not a SharedVideoDataRequest."))
    }
  }

  private func receive(_ request: Firstlight_V1_SharedVideoDataRequest) throws(CaptureError) {
    var released: FrameLoan?
    let (waiter, asked) = try state.withLock { state throws(CaptureError) in
      var asked: (reader: VideoDataReader, frames: Int)?
      switch request.content {
      case .open(let open):
        if state.open != nil {
          throw CaptureError(.invalidArgument, "A stream was opened on this connection already; connect again.")
        }
        try state.ledger.setMaximum(open.hasMaxLeases ? open.maxLeases : nil)
        state.open = open
      case .read where state.open == nil, .release where state.open == nil:
        throw CaptureError(.invalidArgument, "No stream is open; the first packet must open one.")
      case .read(let read):
        try state.ledger.ask(read.frames)
        asked = state.reader.map { ($0, Int(read.frames)) }
      case .release(let release): released = try state.ledger.release(release.lease)
      case nil:
        throw CaptureError(
          .invalidArgument,
          "A packet neither opens, reads nor releases, or is larger than 64 KiB; it must do one of the three.")
      }
      return (state.waiter.take(), asked)
    }
    waiter?.resume()
    if let asked { asked.reader.ask(asked.frames) }
    withExtendedLifetime(released) {}
  }

  /// Ends the program's stream. Takes back every frame that the program holds, and detaches the reader. When the stream
  /// has ended before, the first error stays its ``ending``.
  func end(_ error: any Error) {
    let (waiter, reader, held) = state.withLock { state in
      if state.ending == nil { state.ending = error }
      return (state.waiter.take(), state.reader, state.ledger.releaseAll())
    }
    waiter?.resume(throwing: error)
    reader?.detach()
    withExtendedLifetime(held) {}
  }

  /// Gives the program a reader of its output. The reader is asked for every frame that the program asks for from now
  /// on, and at once for the frames that are owing already. The end of the program's stream detaches the reader.
  func attach(_ reader: VideoDataReader) {
    let (hasEnded, owing) = state.withLock { state in
      state.reader = reader
      return (state.ending != nil, state.ledger.owing)
    }
    reader.ask(Int(owing))
    if hasEnded { reader.detach() }
  }

  /// The error that ended the program's stream; nil while the stream goes on.
  var ending: (any Error)? { state.withLock { $0.ending } }

  /// Returns the program's `open` packet, and waits for the packet for up to `patience`. The wait is limited because
  /// the local socket takes a limited number of connections, and silent programs would keep others out.
  ///
  /// - Throws: the error that ended the stream; `invalidArgument` when no `open` comes in time.
  func opened(within patience: Duration) async throws -> Firstlight_V1_SharedVideoDataOpen {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await Task.sleep(for: patience)
        self.end(
          CaptureError(.invalidArgument, "No stream was opened within \(patience); connect again, and send open first.")
        )
      }
      defer { group.cancelAll() }
      return try await self.wait { $0.open }
    }
  }

  /// The numbers of the slabs with the frames that the program holds.
  var heldSlabs: Set<UInt64> { state.withLock(\.ledger.slabs) }

  /// The number of frames that the program holds, and the largest number that it may hold.
  var held: (count: Int, maximum: Int) { state.withLock { ($0.ledger.count, $0.ledger.maximum) } }

  /// Lends a frame to the program.
  ///
  /// - Returns: the number of the frame's lease; nil once the stream has ended.
  func lend(_ buffer: FrameBuffer) -> UInt64? {
    let loan = FrameLoan(buffer)
    return state.withLock { $0.ending == nil ? $0.ledger.lend(loan) : nil }
  }

  /// Waits until `condition` gives a value, and returns the value. Only one task may wait at a time. Cancelling the
  /// task ends the program's stream.
  ///
  /// - Throws: the error that ended the stream.
  private func wait<R: Sendable>(_ condition: @Sendable (borrowing State) -> R?) async throws -> R {
    while true {
      if let result = try state.withLock({ state throws in
        if let ending = state.ending { throw ending }
        return condition(state)
      }) {
        return result
      }
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          let outcome: Result<Void, any Error>? = state.withLock { state in
            if let ending = state.ending { return .failure(ending) }
            if condition(state) != nil { return .success(()) }
            if Task.isCancelled { return .failure(CancellationError()) }
            state.waiter = continuation
            return nil
          }
          if let outcome { continuation.resume(with: outcome) }
        }
      } onCancel: {
        end(CancellationError())
      }
    }
  }
}
