/// What is wrong with a configuration file, and where: all mistakes that were found.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        package let name: String

        /// The file cannot be read.
        package static let unreadable = Code(name: "unreadable")
        /// The text is not YAML, or not UTF-8.
        package static let malformed = Code(name: "malformed")
        /// A key that is not known at its place.
        package static let unknownKey = Code(name: "unknownKey")
        /// A key that stands in one mapping twice.
        package static let duplicateKey = Code(name: "duplicateKey")
        /// A key that has to be there is missing.
        package static let missingKey = Code(name: "missingKey")
        /// A value of another kind, or out of its range.
        package static let badValue = Code(name: "badValue")
        /// `${NAME}` names a variable that the environment does not have.
        package static let missingVariable = Code(name: "missingVariable")
        /// JavaScript that cannot be used.
        package static let badScript = Code(name: "badScript")
        /// A file that the configuration names cannot be used.
        package static let badFile = Code(name: "badFile")
        /// Two settings that cannot hold both.
        package static let contradiction = Code(name: "contradiction")

        // Warnings.

        /// The admin port can be reached from elsewhere, and asks nobody who he is.
        package static let exposedAdmin = Code(name: "exposedAdmin")
        /// A route that no document can take.
        package static let deadRoute = Code(name: "deadRoute")
        /// A route into a collection that the writers of its documents do not see.
        package static let hiddenRoute = Code(name: "hiddenRoute")
        /// A role that nobody defines, or that nobody has.
        package static let strayRole = Code(name: "strayRole")
        /// A channel that is given and never filled, or asked for and never given.
        package static let strayChannel = Code(name: "strayChannel")
        /// A password that the admin port would not take.
        package static let weakPassword = Code(name: "weakPassword")
        /// A collection that the store has and the file has not.
        package static let undescribedCollection = Code(name: "undescribedCollection")
    }

    /// The mistakes, at least one, in the order of their lines.
    package let findings: [ConfigurationFinding]

    private let first: ConfigurationFinding

    /// What the first mistake is.
    package var code: Code { first.code }
    package var path: String { first.path }
    package var message: String { first.message }
    package var line: Int? { first.place.line }
    package var column: Int? { first.place.column }
    package var file: String? { first.place.file }

    /// One mistake.
    package init(_ code: Code, at path: String, in place: ConfigurationPlace = ConfigurationPlace(), _ message: String) {
        first = ConfigurationFinding(.error, code, at: place, path: path, message)
        findings = [first]
    }

    /// The mistakes among what was found; `nil` if there are none.
    init?(_ findings: [ConfigurationFinding]) {
        let mistakes = findings.filter { $0.severity == .error }
        guard let first = mistakes.first else { return nil }
        self.first = first
        self.findings = mistakes
    }

    /// A line for each mistake.
    package var description: String {
        findings.map(\.description).joined(separator: "\n")
    }
}
