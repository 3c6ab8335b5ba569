internal import CaptureCore
internal import HTTPTransport
internal import RPCCore

extension HTTPPageWriter {
  /// Runs `body`, and answers an error that it throws before it has begun to answer.
  func answeringErrors(_ body: () async throws -> Void) async {
    do { try await body() } catch is CancellationError {
      abort()
    } catch {
      let isConflict = (error as? CaptureError)?.reason == .recordingInProgress
      send(
        HTTPAnswer(ErrorMapping.rpcError(error) ?? error as? RPCError ?? .noAnswer, status: isConflict ? 409 : nil))
    }
  }
}

extension RPCError {
  fileprivate static var noAnswer: RPCError {
    RPCError(.internal, "The answer cannot be made.", reason: "INTERNAL")
  }
}
