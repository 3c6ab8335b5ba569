internal import Glibc

/// Why a file or folder could not be read, in words for an operator.
struct ReadFault: Error, Hashable {
  var text: String
  /// Whether no file or folder has the name. A missing file is no fault when not every machine has the file.
  var isMissing = false

  init(_ text: String) { self.text = text }

  init(errno code: Int32) {
    isMissing = code == ENOENT
    text =
      switch code {
      case ENOENT: "is missing"
      case EACCES, EPERM: "may not be read: permission denied"
      case ENOTDIR: "is not a folder"
      case ELOOP: "is a loop of symbolic links"
      case EAGAIN, ENODATA, EBUSY: "has no value now"
      case EIO, EINVAL, ENXIO, ENODEV, ETIMEDOUT, EREMOTEIO: "was refused by the driver (errno \(code))"
      default: "could not be read (errno \(code))"
      }
  }
}
