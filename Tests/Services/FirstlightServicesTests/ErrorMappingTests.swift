import CaptureCore
import CaptureSessions
import GoogleRPC
import RPCCore
import SwiftProtobuf
import Testing

@testable import FirstlightServices

/// How errors of the capture modules become errors of calls.
@Suite struct ErrorMappingTests {
  /// No reason reaches clients as `unknown`. A RetryInfo, where there is one, names a time above zero.
  @Test(arguments: CaptureError.Reason.allCases)
  func everyReasonHasACodeOtherThanUnknown(reason: CaptureError.Reason) {
    let error = ErrorMapping.rpcError(CaptureError(reason, "What happened.", metadata: ["device": "x"], field: "f"))
    #expect(error?.code != .unknown)
    #expect(error?.code != .ok)
    let waiting = error?.details.compactMap { $0 as? Google_Rpc_RetryInfo } ?? []
    #expect(error?.details.count == 2 + waiting.count, "ErrorInfo, BadRequest and perhaps RetryInfo")
    #expect(waiting.allSatisfy { $0.retryDelay.seconds * 1_000_000_000 + Int64($0.retryDelay.nanos) > 0 })
  }

  /// Only a reason that may go away with time has a retry delay.
  @Test func onlyReasonsThatTimeMendsHaveARetryDelay() {
    let mended = CaptureError.Reason.allCases.filter { ErrorMapping.retryDelay(after: $0) != nil }
    #expect(
      Set(mended) == [
        .deviceInUse, .deviceDisconnected, .deviceNotResponding, .deviceFailed, .noSignal, .systemPressure,
        .systemSuspend, .shuttingDown, .tooManyRequests, .outOfBuffers, .captureNotFinished, .operationInterrupted,
        .videoStorageBusy,
      ])
    // Whatever is unavailable may become available, so every such reason has a retry delay.
    for reason in CaptureError.Reason.allCases where ErrorMapping.code(of: reason) == .unavailable {
      #expect(mended.contains(reason))
    }
  }

  /// A configuration may have several issues, but a call has one code.
  @Test func theFirstIssueOfAConfigurationGivesTheCode() {
    let issues = [
      CaptureError(.invalidArgument, "one", field: "a"), CaptureError(.deviceNotFound, "two", field: "b"),
    ]
    let error = ErrorMapping.rpcError(ConfigurationError(issues: issues))
    #expect(error?.code == .invalidArgument, "the first issue decides")
  }

  /// The mapping knows only the errors of the capture modules and returns nil for all others.
  @Test func errorsOfOtherModulesAreNotMapped() {
    struct Foreign: Error {}
    #expect(ErrorMapping.rpcError(Foreign()) == nil)
  }

  /// The log gets a sentence and no dump of an error's values.
  @Test func anErrorHasAPlainSentence() {
    struct Foreign: Error { let values = [1, 2, 3] }
    enum Known: Error { case broken }
    struct Told: Error, CustomStringConvertible { let description = "It is told." }
    #expect(ErrorMapping.message(of: CaptureError(.deviceNotFound, "There is none.", field: "a")) == "There is none.")
    #expect(ErrorMapping.message(of: RPCError(.internal, "It failed.")) == "It failed.")
    #expect(ErrorMapping.message(of: Foreign()) == "The error Foreign was thrown.")
    #expect(ErrorMapping.message(of: Known.broken) == "The error Known.broken was thrown.")
    #expect(ErrorMapping.message(of: Told()) == "It is told.")
  }
}
