internal import SwiftProtobuf

/// The server reflection of `grpc.reflection.v1` and `v1alpha`, with which generic clients call the server without
/// proto files.
public enum ReflectionService {
  private typealias Request = Grpc_Reflection_V1_ServerReflectionRequest
  private typealias Response = Grpc_Reflection_V1_ServerReflectionResponse

  private static let methods = [
    Grpc_Reflection_V1_ServerReflection.serverReflectionInfo,
    Grpc_Reflection_V1alpha_ServerReflection.serverReflectionInfo,
  ]

  /// The full names of both versions of the service.
  public static let names = methods.map(\.name.service)

  /// Adds both versions of the service to a router. The call must be the last one that adds a service to the router,
  /// because reflection lists only itself and the services that the router has at this time. Reflection hides a file
  /// when the router has none of the services in the file, unless another file imports the file.
  ///
  /// - Parameters:
  ///   - router: the router that gets the service and whose services are listed.
  ///   - fileDescriptorSet: a serialized `google.protobuf.FileDescriptorSet` with all imports.
  /// - Throws: SwiftProtobuf's error when `fileDescriptorSet` cannot be decoded.
  public static func register(on router: inout RPCRouter, fileDescriptorSet: [UInt8]) throws {
    let services = (router.services + names).sorted()
    let index = DescriptorIndex(
      try Google_Protobuf_FileDescriptorSet(serializedBytes: fileDescriptorSet).serving(Set(services)))
    for method in methods {
      // One set of messages serves both versions, because the messages of the versions differ only in their package,
      // which is not part of the encoded bytes.
      router.bidirectional(method) {
        (requests: RequestStream<Request>, _, writer: ResponseWriter<Response>) in
        for try await request in requests {
          try await writer.write(respond(to: request, index, services))
        }
      }
    }
  }

  private static func respond(to request: Request, _ index: DescriptorIndex, _ services: [String]) throws -> Response {
    var response = Response()
    response.validHost = request.host
    response.originalRequest = request
    switch request.messageRequest {
    case .fileByFilename(let name):
      response.messageResponse = try files(named: name, in: index, subject: name)
    case .fileContainingSymbol(let symbol):
      response.messageResponse = try files(named: index.file(containing: symbol), in: index, subject: symbol)
    case .fileContainingExtension(let wanted):
      response.messageResponse = try files(
        named: index.file(extending: wanted.containingType, number: wanted.extensionNumber), in: index,
        subject: "extension \(wanted.extensionNumber) of \(wanted.containingType)")
    case .allExtensionNumbersOfType(let type):
      guard let numbers = index.extensionNumbers(of: type) else {
        response.messageResponse = notFound(type)
        break
      }
      response.allExtensionNumbersResponse = .with {
        $0.baseTypeName = type
        $0.extensionNumber = numbers
      }
    case .listServices:
      response.listServicesResponse = .with {
        $0.service = services.map { name in .with { $0.name = name } }
      }
    case nil:
      response.errorResponse = .with {
        $0.errorCode = Int32(RPCError.Code.invalidArgument.rawValue)
        $0.errorMessage = "The reflection request contains no question."
      }
    }
    return response
  }

  private static func files(
    named name: String?, in index: DescriptorIndex, subject: String
  ) throws -> Response.OneOf_MessageResponse {
    guard let name, let files = index.closure(ofFile: name) else { return notFound(subject) }
    return .fileDescriptorResponse(
      try .with { $0.fileDescriptorProto = try files.map { try $0.serializedBytes() } })
  }

  private static func notFound(_ subject: String) -> Response.OneOf_MessageResponse {
    .errorResponse(
      .with {
        $0.errorCode = Int32(RPCError.Code.notFound.rawValue)
        $0.errorMessage = "\(subject) is unknown."
      })
  }
}
