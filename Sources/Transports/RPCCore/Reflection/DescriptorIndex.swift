internal import SwiftProtobuf

/// Finds a proto file in a descriptor set by the symbols and the extensions that the file defines.
struct DescriptorIndex: Sendable {
  private var files: [String: Google_Protobuf_FileDescriptorProto] = [:]
  /// The name of the file that defines a symbol, by the symbol's full name. Symbols are messages, fields, oneofs,
  /// enums, enum values, extensions, services and methods.
  private var fileOfSymbol: [String: String] = [:]
  /// The name of the file that defines an extension, by the full name of the extended message and the extension's
  /// number.
  private var fileOfExtension: [String: [Int32: String]] = [:]

  init(_ set: Google_Protobuf_FileDescriptorSet) {
    for file in set.file {
      files[file.name] = file
      let scope = file.package.isEmpty ? "" : file.package + "."
      for message in file.messageType { add(message, scope, file.name) }
      for enumeration in file.enumType { add(enumeration, scope, file.name) }
      for field in file.extension { add(extension: field, scope, file.name) }
      for service in file.service {
        fileOfSymbol[scope + service.name] = file.name
        for method in service.method { fileOfSymbol["\(scope)\(service.name).\(method.name)"] = file.name }
      }
    }
  }

  private mutating func add(_ message: Google_Protobuf_DescriptorProto, _ scope: String, _ file: String) {
    let name = scope + message.name
    fileOfSymbol[name] = file
    for field in message.field { fileOfSymbol["\(name).\(field.name)"] = file }
    for oneof in message.oneofDecl { fileOfSymbol["\(name).\(oneof.name)"] = file }
    for nested in message.nestedType { add(nested, name + ".", file) }
    for enumeration in message.enumType { add(enumeration, name + ".", file) }
    for field in message.extension { add(extension: field, name + ".", file) }
  }

  private mutating func add(_ enumeration: Google_Protobuf_EnumDescriptorProto, _ scope: String, _ file: String) {
    fileOfSymbol[scope + enumeration.name] = file
    // Protobuf scopes enum values as C++ does: a value's full name begins with the scope around the enum, and does not
    // contain the enum's name.
    for value in enumeration.value { fileOfSymbol[scope + value.name] = file }
  }

  private mutating func add(
    extension field: Google_Protobuf_FieldDescriptorProto, _ scope: String, _ file: String
  ) {
    fileOfSymbol[scope + field.name] = file
    // A resolved type name begins with a dot, and the names that clients ask for do not.
    fileOfExtension[String(field.extendee.drop { $0 == "." }), default: [:]][field.number] = file
  }

  /// Returns a file, followed by all files that it imports directly or indirectly. Nil when the set has no file of this
  /// name.
  func closure(ofFile name: String) -> [Google_Protobuf_FileDescriptorProto]? {
    guard files[name] != nil else { return nil }
    var found: [Google_Protobuf_FileDescriptorProto] = []
    var seen: Set<String> = [name]
    var queue = [name]
    while let next = queue.popLast() {
      guard let file = files[next] else { continue }
      found.append(file)
      queue += file.dependency.filter { seen.insert($0).inserted }
    }
    return found
  }

  func file(containing symbol: String) -> String? { fileOfSymbol[symbol] }

  func file(extending type: String, number: Int32) -> String? { fileOfExtension[type]?[number] }

  /// Returns the numbers of all extensions of a message, sorted. Nil when the set does not define the message.
  func extensionNumbers(of type: String) -> [Int32]? {
    if let numbers = fileOfExtension[type]?.keys { return numbers.sorted() }
    return fileOfSymbol[type] == nil ? nil : []
  }
}

extension Google_Protobuf_FileDescriptorSet {
  /// Returns the set without the files that only define services other than `services`. A file that a remaining file
  /// imports stays, too.
  func serving(_ services: Set<String>) -> Google_Protobuf_FileDescriptorSet {
    let isServed = { (file: Google_Protobuf_FileDescriptorProto) in
      file.service.isEmpty || file.service.contains { services.contains("\(file.package).\($0.name)") }
    }
    var kept = file.filter(isServed)
    let needed = Set(kept.flatMap(\.dependency))
    kept += file.filter { !isServed($0) && needed.contains($0.name) }
    return .with { $0.file = kept }
  }
}
