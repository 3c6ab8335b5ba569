public import CaptureCore

/// The file that a client wants for its photo.
public struct PhotoFileSettings: Hashable, Sendable {
  /// The format of the file.
  public var encoding: PhotoEncoding
  /// The quality of a JPEG file, 1 to 100. The output keeps a camera's own JPEG as it is, whatever the quality.
  public var jpegQuality: Int
  /// The quality of a HEIC file, 1 to 100.
  public var heicQuality: Int
  /// The largest size of the thumbnail in the file, 64 to 512 pixels each way; nil for no thumbnail.
  public var embeddedThumbnail: Size?

  /// Creates settings. Without arguments, they are those of a JPEG file of quality 90 without a thumbnail.
  ///
  /// - Parameters: as the properties of the same names.
  public init(
    encoding: PhotoEncoding = .jpeg, jpegQuality: Int = 90, heicQuality: Int = 50, embeddedThumbnail: Size? = nil
  ) {
    self.encoding = encoding
    self.jpegQuality = jpegQuality
    self.heicQuality = heicQuality
    self.embeddedThumbnail = embeddedThumbnail
  }

  /// Checks the settings against what this machine can encode.
  ///
  /// - Throws: `invalidArgument` for a quality or a thumbnail size outside its range; `unsupportedValue` for an
  ///   encoding that this machine cannot make, and for a thumbnail in a file that has no place for one.
  func validate() throws(CaptureError) {
    for (name, quality) in [("jpeg_quality", jpegQuality), ("heic_quality", heicQuality)]
    where !(1...100).contains(quality) {
      throw CaptureError(
        .invalidArgument, "\(name) is \(quality); it must be from 1 to 100.",
        metadata: ["value": "\(quality)", "allowed": "1 to 100"], field: "settings.\(name)")
    }
    if !encoding.isAvailable { throw encoding.unavailable }
    if let embeddedThumbnail { try validate(embeddedThumbnail) }
  }

  private func validate(_ thumbnail: Size) throws(CaptureError) {
    let field = "settings.embedded_thumbnail_dimensions"
    let allowed = 64...512
    guard allowed.contains(thumbnail.width), allowed.contains(thumbnail.height) else {
      throw CaptureError(
        .invalidArgument, "A thumbnail may measure 64 to 512 pixels each way; the request asks for \(thumbnail).",
        metadata: ["value": "\(thumbnail)", "allowed": "64 to 512"], field: field)
    }
    guard encoding.embedsThumbnails else {
      let names = PhotoEncoding.available.filter(\.embedsThumbnails).map(\.rawValue).joined(separator: ", ")
      throw CaptureError(
        .unsupportedValue,
        "\(encoding.rawValue) files cannot contain a thumbnail; leave it out, or ask for one of \(names).",
        metadata: ["encoding": encoding.rawValue, "available": names], field: field)
    }
  }
}
