import HTTPTypes
import RPCCore
import Testing

@testable import HTTPTransport

/// The head of a response has the status, the content type and the trailing metadata of Connect.
struct ResponseHeadTests {
  /// A response has the content type of its request, with the form of the messages.
  @Test(arguments: ContentType.all)
  func responseHasTheContentTypeOfTheRequest(contentType: ContentType) {
    let response = ResponseHead(contentType).response
    #expect(response.status == .ok)
    #expect(response.headerFields[.contentType] == contentType.text)
    #expect(ContentType(contentType.text) == contentType)
  }

  /// Connect sends the trailing metadata of a method without a stream in the head, under keys with a prefix.
  @Test func trailingMetadataHasAPrefix() throws {
    var metadata = Metadata()
    metadata.add("1", forKey: "x-key")
    metadata.add("2", forKey: "x-key")
    metadata.add(binary: [1], forKey: "x-bin")
    let fields = ResponseHead(ContentType(.connectUnary, .proto), trailingMetadata: metadata).response.headerFields
    #expect(fields[values: try #require(HTTPField.Name("trailer-x-key"))] == ["1", "2"])
    #expect(fields[try #require(HTTPField.Name("trailer-x-bin"))] == "AQ")
  }

  /// The response to a call that failed is JSON, even when the messages are not.
  @Test func errorIsJSON() throws {
    var metadata = Metadata()
    metadata.add("1", forKey: "x-key")
    let response = ResponseHead(RPCError(.notFound, "No."), trailingMetadata: metadata).response
    #expect(response.status == .notFound)
    #expect(response.headerFields[.contentType] == "application/json")
    #expect(response.headerFields[try #require(HTTPField.Name("trailer-x-key"))] == "1")
  }
}
