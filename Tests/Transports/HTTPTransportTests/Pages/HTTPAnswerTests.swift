import HTTPTransport
import RPCCore
import Testing

/// The answers of pages.
struct HTTPAnswerTests {
  @Test func anErrorIsASentenceWithTheStatusOfItsCode() {
    let answer = HTTPAnswer(RPCError(.notFound, "There is no session front."))
    #expect(answer.status == 404)
    #expect(String(decoding: answer.body, as: UTF8.self) == "There is no session front.\n")
    #expect(answer.fields.map(\.name) == ["Content-Type"])
  }

  @Test func anErrorSaysWhenToTryAgain() {
    let answer = HTTPAnswer(RPCError(.unavailable, "The camera is in use.", retryDelay: .milliseconds(200)))
    #expect(answer.status == 503)
    #expect(answer.fields.last?.name == "Retry-After" && answer.fields.last?.value == "1")
  }
}
