/// An error in the configuration, described by a sentence for the operator.
struct ConfigurationProblem: Error, CustomStringConvertible {
  var description: String
}
