internal import CaptureCore

/// Photo outputs that several cameras are connected to.
extension ConfigurationResolver {
  /// Takes over a connection from one of several cameras to a photo output.
  ///
  /// - Parameter camera: the place of the camera; nil for one that could not be resolved.
  /// - Returns: false when the camera is connected already.
  static func add(
    _ input: String, at camera: Int?, _ connection: Connection, to output: inout ResolvedConfiguration.Output
  ) -> Bool {
    guard !output.constituents.contains(where: { $0.input == input }) else { return false }
    guard let camera else { return true }
    output.constituents.append(.init(input: input, camera: camera, connection: connection))
    output.constituents.sort { $0.camera < $1.camera }
    output.connection = output.constituents[0].connection
    return true
  }

  /// Checks which inputs are connected to photo outputs that deliver photos of several cameras, and lets captures name
  /// them.
  ///
  /// - Parameters:
  ///   - inputs: the ids of all inputs.
  ///   - microphones: the places of the inputs that are microphones.
  static func resolveConstituents(
    _ outputs: inout [ResolvedConfiguration.Output], _ asked: SessionConfiguration, inputs: [String],
    microphones: [Int], _ issues: inout [CaptureError]
  ) {
    for index in outputs.indices where outputs[index].photo?.constituentDelivery == true {
      let id = outputs[index].id
      let wires = asked.connections.enumerated().filter { $0.element.output == id }
      func isConnected(_ place: Int) -> Bool { wires.contains { $0.element.input == inputs[place] } }
      let pictures = asked.inputs.indices.filter { !microphones.contains($0) && isConnected($0) }
      for place in pictures where asked.inputs[place].isDerived {
        let wire = wires.first { $0.element.input == inputs[place] }?.offset ?? 0
        issues.append(
          CaptureError(
            .notSupportedInConfiguration,
            "\(inputs[place]) is a composition, and the photo output \(id) delivers the photos of several cameras; "
              + "connect the composition to another output, or leave constituent_photo_delivery_enabled unset.",
            metadata: ["output": id, "input": inputs[place]], field: "configuration.connections[\(wire)].input"))
      }
      let cameras = pictures.filter { !asked.inputs[$0].isDerived }
      if cameras.count < 2 {
        let names = cameras.isEmpty ? "none" : cameras.map { inputs[$0] }.joined(separator: ", ")
        issues.append(
          CaptureError(
            .notSupportedInConfiguration,
            "The photo output \(id) is to deliver the photos of several cameras, and connections join \(names) to it; "
              + "connect two cameras or more, or leave constituent_photo_delivery_enabled unset.",
            metadata: ["output": id, "inputs": names],
            field: "configuration.photo.constituent_photo_delivery_enabled"))
      }
      let connected = outputs[index].constituents.map(\.input)
      outputs[index].photo?.features.constituents = connected
    }
  }
}
