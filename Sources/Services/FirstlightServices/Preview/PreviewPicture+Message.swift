internal import CaptureCore
internal import FirstlightAPI
internal import FrameDelivery
internal import Imaging
internal import RPCCore
internal import SystemClocks

extension PreviewPicture {
  /// The message of StreamPreview with this picture, which all viewers of the picture share as far as they lost the
  /// same frames before. Viewers by another way than StreamPreview use the message for its payload: each transport then
  /// makes one form of the picture for all of them.
  var message: LentMessage {
    memo.value(dropped: dropped, omitted: omitted) {
      FrameSerializer.message(at: .init(field: 2), dataField: FrameField.data, data: picture.buffer, write)
    }
  }
}

/// The number of the field `data`, the same in every message that contains pixels.
enum FrameField { static let data = 1000 }

/// Writes the message of a preview frame. The fields are written without SwiftProtobuf to save time, because the
/// message is made for each picture, often on the capture thread, which also has to bring the camera's next frame. No
/// other message is written by hand.
extension PreviewPicture {
  /// Writes the fields of `firstlight.v1.PreviewFrame` except `data`, from the last field to the first.
  func write(to writer: inout WireWriter) {
    let (frame, layout) = (captured.frame, picture.layout)
    for layer in frame.layers.reversed() { writer.message(16) { layer.write(to: &$0) } }
    writer.field(15, encoding.rawPixelFormat)
    writer.field(14, omitted)
    for plane in layout.planes.reversed() {
      writer.message(13) {
        $0.field(3, UInt64(plane.rows))
        $0.field(2, UInt64(plane.stride))
        $0.field(1, UInt64(plane.offset))
      }
    }
    writer.field(12, captured.configRevision)
    writer.message(11) {
      $0.field(4, dropped.damaged)
      $0.field(3, dropped.discontinuity)
      $0.field(2, dropped.outOfBuffers)
      $0.field(1, dropped.late)
    }
    writer.field(10, isKeyFrame ? 1 : 0)
    writer.field(9, UInt64(encoding.proto.rawValue))
    writer.field(8, UInt64(layout.size.height))
    writer.field(7, UInt64(layout.size.width))
    writer.field(6, UInt64(frame.time.source.proto.rawValue))
    writer.field(5, frame.time.monotonic.nanoseconds)
    writer.message(4) {
      $0.field(2, frame.time.wall.nanoseconds % 1_000_000_000)
      $0.field(1, frame.time.wall.nanoseconds / 1_000_000_000)
    }
    writer.field(3, frame.sequence)
    writer.field(2, frame.streamID)
    writer.field(1, captured.input)
  }
}

extension ComposedLayer {
  /// Writes the fields of `firstlight.v1.LayerSource`, from the last field to the first.
  fileprivate func write(to writer: inout WireWriter) {
    writer.field(6, isStale ? 1 : 0)
    if let source {
      writer.field(5, source.time.monotonic.nanoseconds)
      writer.message(4) {
        $0.field(2, source.time.wall.nanoseconds % 1_000_000_000)
        $0.field(1, source.time.wall.nanoseconds / 1_000_000_000)
      }
      writer.field(3, source.sequence)
      writer.field(2, source.streamID)
    }
    writer.field(1, input)
  }
}
