internal import CaptureCore
internal import FrameDelivery
internal import Imaging
internal import RPCCore

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
