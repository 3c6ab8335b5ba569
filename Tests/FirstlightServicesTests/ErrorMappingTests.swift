import CaptureCore
import CaptureSession
import Testing

@testable import FirstlightServices
@testable import GRPCTransport

@Suite struct ErrorMappingTests {
  @Test(arguments: CaptureError.Reason.allCases)
  func everyReasonHasACodeThatIsNotTheCallersUnknown(reason: CaptureError.Reason) {
    let error = ErrorMapping.rpcError(CaptureError(reason, "What happened.", metadata: ["device": "x"], field: "f"))
    #expect(error?.code != .unknown)
    #expect(error?.code != .ok)
    #expect(error?.details.count == 2, "ErrorInfo and BadRequest")
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
