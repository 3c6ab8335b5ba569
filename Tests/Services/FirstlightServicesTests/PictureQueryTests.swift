import CaptureCore
import FrameDelivery
import HTTPTransport
import SystemClocks
import Testing

@testable import FirstlightServices

/// What the query of a picture's address means.
struct PictureQueryTests {
  private func query(_ text: String) throws(CaptureError) -> PictureQuery {
    try PictureQuery(HTTPPageRequest(target: "/stream.mjpg?\(text)").parameters)
  }

  private func refusal(_ text: String) -> String? {
    do throws(CaptureError) {
      _ = try query(text)
      return nil
    } catch {
      return error.reason == .invalidArgument ? error.message : "\(error.reason)"
    }
  }

  @Test func nothingMeansTheWholePictureOfTheStandardSession() throws {
    let query = try query("")
    #expect(query.session == nil && query.output.isEmpty)
    #expect(query.request == PreviewRequest())
  }

  @Test func everyParameterHasItsMeaning() throws {
    let query = try query("session=sessions/front&output=main&width=640&height=360&quality=40&fps=7.5")
    #expect(query.session == "front" && query.output == "main")
    #expect(query.request.maxSize == Size(width: 640, height: 360))
    #expect(query.request.jpegQuality == 40)
    #expect(query.request.maxFrameRate?.value == 7.5)
    #expect(query.request.encoding == .jpeg)
  }

  @Test func thePageSaysHowPicturesAreEncoded() throws {
    let parameters = HTTPPageRequest(target: "/stream.ts?width=640&quality=40").parameters
    let query = try PictureQuery(parameters, encoding: .h264)
    #expect(query.request == PreviewRequest(encoding: .h264, maxSize: Size(width: 640, height: 65535), jpegQuality: 40))
  }

  @Test func aDelayIsANumberOfSeconds() throws {
    #expect(try query("delay=2.5").delay == 2_500_000_000)
    #expect(try query("").delay == nil)
  }

  @Test(arguments: ["-1", "60.1", "x", "", "nan", "inf"])
  func otherDelaysAreRefused(text: String) {
    #expect(throws: CaptureError.self) { try PictureQuery([("delay", text)]) }
  }

  @Test func oneSideLeavesTheOtherOpen() throws {
    #expect(try query("width=640").request.maxSize == Size(width: 640, height: 65535))
    #expect(try query("height=2").request.maxSize == Size(width: 65535, height: 2))
    #expect(try query("session=front").session == "front")
  }

  @Test(arguments: [
    "width=1", "width=65536", "height=x", "width=-5", "width=", "quality=0", "quality=101", "fps=0", "fps=1e9",
    "fps=nan", "fps=inf", "session=devices/front", "session=/", "width=5&width=6",
  ])
  func otherValuesAreRefused(text: String) {
    #expect(refusal(text)?.hasSuffix(".") == true)
  }
}

/// The capture time in the head of a picture.
struct CaptureTimeTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000000000Z"), (951_782_400_250_000_000, "2000-02-29T00:00:00.250000000Z"),
    (1_795_658_733_000_000_001, "2026-11-26T02:05:33.000000001Z"),
    (4_102_444_799_999_999_999, "2099-12-31T23:59:59.999999999Z"),
  ])
  func anInstantIsWrittenInRFC3339(nanoseconds: UInt64, text: String) {
    #expect(WallInstant(nanoseconds: nanoseconds).rfc3339 == text)
  }
}
