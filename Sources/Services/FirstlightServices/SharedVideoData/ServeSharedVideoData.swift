internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import GoogleRPC
public import LocalTransport
internal import FrameDelivery
internal import RPCCore
internal import SwiftProtobuf
internal import SystemPressure

extension CameraServices {
  /// Gives a program on the local socket the frames it asks for, in shared memory. Returns when either side is through.
  public func serveSharedVideoData(_ connection: LocalConnection) async {
    let program = SharedReader()
    do {
      try connection.start(onPacket: { program.receive($0) }, onEnd: { program.end(CancellationError()) })
      try await serve(program, connection)
    } catch {
      let cause = program.ending ?? error
      if !(cause is CancellationError) {
        let status = (ErrorMapping.rpcError(cause) ?? RPCError(.internal, "\(cause)")).status(
          domain: ErrorMapping.domain)
        _ = Self.send(.with { $0.error = status }, on: connection)
      }
    }
    program.end(CancellationError())
  }

  private func serve(_ program: SharedReader, _ connection: LocalConnection) async throws {
    let open = try await program.opened(within: .seconds(5))
    let session = try await sessions.session(named: open.session, field: "session")
    let output = try await session.output(open.output, as: VideoDataOutput.self, named: "video data")
    // Nothing goes through a message, so no frame is too large.
    let reader = try output.attach(VideoDataRequest(maxMessageBytes: 256 << 20, asksForFrames: true))
    defer { reader.detach() }
    program.attach(reader)
    var mappings = MappingTable()
    var lost = DropCounts()
    try await session.idle.whileAttached {
      while true {
        // Frames that nobody asked for wait in the reader's slot, or are late there.
        switch try await reader.next() {
        case .status(let status):
          guard Self.send(.with { $0.status = status.proto }, on: connection) else { return }
        case .frame(let captured, let dropped, _):
          lost += dropped
          let buffer = captured.frame.buffer
          let held = program.held
          guard held.count < held.maximum, reader.mayKeep(captured.frame, besides: held.count),
            let descriptor = buffer.slab.descriptor
          else {
            // It asks for frames and gives none back: others need the memory. It is still owed one.
            lost += reader.loss(of: captured.frame)
            reader.ask(1)
            continue
          }
          guard let lease = program.lend(buffer) else { return }
          let (mapping, isNew) = mappings.place(buffer.slab.number, keeping: program.heldSlabs)
          let message = Firstlight_V1_SharedVideoDataResponse.with {
            $0.frame.frame = captured.videoData(dropped: lost, temperature: pressure.current.readings.warmest)
            $0.frame.lease = lease
            $0.frame.mapping = UInt32(mapping)
            if isNew { $0.frame.mappingBytes = UInt64(buffer.slab.capacity) }
            $0.frame.dataBytes = UInt64(buffer.count)
          }
          lost = DropCounts()
          guard Self.send(message, on: connection, with: isNew ? descriptor : nil) else { return }
        }
      }
    }
  }

  private static func send(
    _ response: Firstlight_V1_SharedVideoDataResponse, on connection: LocalConnection, with descriptor: Int32? = nil
  ) -> Bool {
    guard let packet: [UInt8] = try? response.serializedBytes() else { return false }
    return connection.send(packet, with: descriptor)
  }
}
