internal import FirstlightServices
internal import HTTPTransport
internal import RPCCore
internal import ViewfinderPage

/// The files of the viewfinder page, as the HTTP server takes them.
enum ViewfinderFiles {
  /// All files. They may load only each other, call only this server, and be framed by nobody.
  static let all: [HTTPFile] = (0..<viewfinder_file_count).map { index in
    HTTPFile(
      String(cString: viewfinder_files[index].path), .viewServer,
      contentType: String(cString: viewfinder_files[index].type),
      fields: ["Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"]
    ) {
      let file = viewfinder_files[index]
      return Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
  }

  /// What a browser may do for the page. Photos and the first pictures of recordings are shown by `blob:` addresses.
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "media-src 'self'",
    "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
  ].joined(separator: "; ")
}
