import CaptureCore
import CaptureSessions
import GoogleRPC
import RPCCore
import SwiftProtobuf
import Testing

@testable import FirstlightServices

@Suite struct ErrorMappingTests {
  @Test(arguments: CaptureError.Reason.allCases)
  func everyReasonHasACodeThatIsNotTheCallersUnknown(reason: CaptureError.Reason) {
    let error = ErrorMapping.rpcError(CaptureError(reason, "What happened.", metadata: ["device": "x"], field: "f"))
    #expect(error?.code != .unknown)
    #expect(error?.code != .ok)
    let waiting = error?.details.compactMap { $0 as? Google_Rpc_RetryInfo } ?? []
    #expect(error?.details.count == 2 + waiting.count, "ErrorInfo, BadRequest and perhaps RetryInfo")
    #expect(waiting.allSatisfy { $0.retryDelay.seconds * 1_000_000_000 + Int64($0.retryDelay.nanos) > 0 })
  }

  @Test func waitingHelpsWithWhatTimeMends() {
    let mended = CaptureError.Reason.allCases.filter { ErrorMapping.retryDelay(after: $0) != nil }
    #expect(
      Set(mended) == [
        .deviceInUse, .deviceDisconnected, .deviceNotResponding, .deviceFailed, .systemPressure, .systemSuspend,
        .shuttingDown, .tooManyRequests, .outOfBuffers, .captureNotFinished, .operationInterrupted,
      ])
    // What is unavailable will be available.
    for reason in CaptureError.Reason.allCases where ErrorMapping.code(of: reason) == .unavailable {
      #expect(mended.contains(reason))
    }
  }

  @Test func everyBadFieldIsNamed() {
    let issues = [
      CaptureError(.invalidArgument, "one", field: "a"), CaptureError(.deviceNotFound, "two", field: "b"),
    ]
    let error = ErrorMapping.rpcError(ConfigurationError(issues: issues))
    #expect(error?.code == .invalidArgument, "the first decides")
  }

  @Test func foreignErrorsAreNotOurs() {
    struct Foreign: Error {}
    #expect(ErrorMapping.rpcError(Foreign()) == nil)
  }
}
