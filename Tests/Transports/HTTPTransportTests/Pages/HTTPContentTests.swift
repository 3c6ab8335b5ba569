import HTTPTransport
import HTTPTypes
import Testing

/// What the server answers to a request for a content.
struct HTTPContentTests {
  private func content(_ name: String = "a.mp4", isAttachment: Bool = false) -> HTTPContent {
    HTTPContent(
      size: 1000, contentType: "video/mp4", entityTag: "one-1000", modificationTime: 784_111_777, fileName: name,
      isAttachment: isAttachment
    ) { _, _ in [] }
  }

  @Test func theHeadDescribesTheContent() {
    let answer = content().answer(to: [:])
    #expect(answer.range == 0..<1000)
    #expect(answer.head.status == .ok)
    let fields = answer.head.headerFields
    #expect(fields[.contentLength] == "1000")
    #expect(fields[.contentType] == "video/mp4")
    #expect(fields[.acceptRanges] == "bytes")
    #expect(fields[.eTag] == "\"one-1000\"")
    #expect(fields[.cacheControl] == "no-cache")
    #expect(fields[.lastModified] == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(fields[.contentDisposition] == "inline; filename=\"a.mp4\"")
  }

  @Test func aNameKeepsItsLetters() {
    let fields = content("Tür \"1\".mp4", isAttachment: true).answer(to: [:]).head.headerFields
    #expect(
      fields[.contentDisposition]
        == "attachment; filename=\"T__r _1_.mp4\"; filename*=UTF-8''T%C3%BCr%20%221%22.mp4")
  }

  @Test func aRangeIsAPartOfTheContent() {
    let answer = content().answer(to: [.range: "bytes=100-199"])
    #expect(answer.range == 100..<200)
    #expect(answer.head.status == .partialContent)
    #expect(answer.head.headerFields[.contentRange] == "bytes 100-199/1000")
    #expect(answer.head.headerFields[.contentLength] == "100")
  }

  @Test func aRangeWithoutAByteIsRefused() {
    let answer = content().answer(to: [.range: "bytes=1000-"])
    #expect(answer.range == nil)
    #expect(answer.head.status == .rangeNotSatisfiable)
    #expect(answer.head.headerFields[.contentRange] == "bytes */1000")
    #expect(answer.head.headerFields[.contentLength] == "\(answer.message.utf8.count)")
  }

  @Test func aRangeOfOtherBytesIsEverything() {
    let range = "bytes=100-199"
    #expect(content().answer(to: [.range: range, .ifRange: "\"one-1000\""]).range == 100..<200)
    #expect(content().answer(to: [.range: range, .ifRange: "\"one-900\""]).range == 0..<1000)
    #expect(content().answer(to: [.range: range, .ifRange: "W/\"one-1000\""]).range == 0..<1000)
    #expect(content().answer(to: [.range: range, .ifRange: "Sun, 06 Nov 1994 08:49:37 GMT"]).range == 0..<1000)
  }

  @Test func whatTheClientHasIsNotSentAgain() {
    for fields: HTTPFields in [
      [.ifNoneMatch: "\"other\", \"one-1000\""], [.ifNoneMatch: "*"],
      [.ifModifiedSince: "Sun, 06 Nov 1994 08:49:37 GMT"],
    ] {
      let answer = content().answer(to: fields)
      #expect(answer.head.status == .notModified && answer.range == nil)
      #expect(answer.head.headerFields[.contentLength] == nil)
    }
    #expect(content().answer(to: [.ifNoneMatch: "\"other\""]).head.status == .ok)
    #expect(content().answer(to: [.ifModifiedSince: "Sun, 06 Nov 1994 08:49:36 GMT"]).head.status == .ok)
  }

  @Test func aConditionOnOtherBytesFails() {
    #expect(content().answer(to: [.ifMatch: "\"one-1000\""]).head.status == .ok)
    #expect(content().answer(to: [.ifMatch: "\"other\""]).head.status == .preconditionFailed)
  }
}
