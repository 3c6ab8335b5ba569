import CaptureCore
import CaptureTestKit
import FirstlightAPI
import Foundation
import OverlayDrawing
import SwiftProtobuf
import Testing

@testable import FirstlightServices

/// The limit only ends a broken test: what it waits for would never come.
@Suite(.timeLimit(.minutes(2))) struct OverlayImageTests {
  /// The beginning of a PNG file, which nobody can decode.
  private func beginning(_ side: UInt16) -> Data {
    let bytes: [UInt8] = [0, 0, UInt8(side >> 8), UInt8(side & 0xff)]
    return Data([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52] + bytes + bytes)
  }

  private func error(_ sides: [UInt16]) async -> CaptureError? {
    let proto = Firstlight_V1_Overlay.with { overlay in
      overlay.elements = sides.map { side in .with { $0.image.png = beginning(side) } }
    }
    return await #expect(throws: CaptureError.self) { try await Overlay(proto, path: "overlay") }
  }

  @Test func imagesAreMeasuredBeforeTheyAreDecoded() async {
    let tooMany = await error([4096, 1])
    #expect(tooMany?.field == "overlay.elements[1].image" && tooMany?.metadata["limit"] == "\(4096 * 4096)")
    let damaged = await error([4096])
    #expect(damaged?.reason == .invalidArgument && damaged?.field == "overlay.elements[0].image.png")
    #expect(await error([4097])?.field == "overlay.elements[0].image.png")
  }

  private func overlay(pixels: Int, _ decoder: ImageDecoder) async throws(CaptureError) -> Overlay {
    let proto = Firstlight_V1_Overlay.with { overlay in
      overlay.elements = [
        .with { element in
          element.image.pixels = .with {
            ($0.width, $0.height, $0.rgba) = (UInt32(pixels), 1, Data(repeating: 255, count: 4 * pixels))
          }
        }
      ]
    }
    return try await Overlay(proto, path: "overlay", decoder: decoder)
  }

  @Test func imagesHaveABudgetAsLongAsTheyAreThere() async throws {
    let decoder = ImageDecoder(depth: 1, budget: 4 * 100)
    var first: Overlay? = try await overlay(pixels: 60, decoder)
    let second = try await overlay(pixels: 40, decoder)
    let error = await #expect(throws: CaptureError.self) { try await overlay(pixels: 1, decoder) }
    #expect(error?.reason == .outOfBuffers && error?.field == "overlay.elements[0].image")
    #expect(error?.metadata == ["bytes": "4", "limit": "400"])
    #expect(first?.elements.count == 1 && second.elements.count == 1)
    first = nil
    let third = try await overlay(pixels: 60, decoder)
    #expect(third.elements.count == 1)
  }

  @Test func imagesThatCannotBeDecodedTakeNothing() async throws {
    let decoder = ImageDecoder(depth: 1, budget: 4 * 100)
    let damaged = Firstlight_V1_Overlay.with { $0.elements = [.with { $0.image.png = beginning(10) }] }
    for _ in 0..<2 {
      let error = await #expect(throws: CaptureError.self) {
        try await Overlay(damaged, path: "overlay", decoder: decoder)
      }
      #expect(error?.reason == .invalidArgument)
    }
    // 10 by 10 pixels are all there is for.
    let large = Firstlight_V1_Overlay.with { $0.elements = [.with { $0.image.png = beginning(11) }] }
    let error = await #expect(throws: CaptureError.self) {
      try await Overlay(large, path: "overlay", decoder: decoder)
    }
    #expect(error?.reason == .outOfBuffers, "a file is measured by what it holds, before it is decoded")
  }

  @Test func oneIsDecodedAtATimeAndFewWait() async throws {
    let decoder = ImageDecoder(depth: 2, budget: 0)
    let (begun, gate) = (Recorder<Void>(), Mailbox<Void>(depth: 3))
    try await withThrowingTaskGroup(of: CaptureError.Reason?.self) { group in
      func add() {
        group.addTask {
          do throws(CaptureError) {
            try await decoder.run {
              begun.append(())
              _ = gate.take()
            }
            return nil
          } catch { return error.reason }
        }
      }
      add()
      _ = try await begun.wait(count: 1)
      // Two of these can wait, and nothing ends before the gate opens.
      for _ in 0..<3 { add() }
      #expect(try await group.next() == .tooManyRequests)
      #expect(begun.count == 1)
      for _ in 0..<3 { gate.put(()) }
      for try await reason in group { #expect(reason == nil) }
      #expect(begun.count == 3)
    }
  }
}
