/// The errors in a configuration file, with their positions.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        package let name: String

        /// The file cannot be read.
        package static let unreadable = Code(name: "unreadable")
        /// The text is not YAML, or not UTF-8.
        package static let malformed = Code(name: "malformed")
        /// A key that is unknown in its mapping.
        package static let unknownKey = Code(name: "unknownKey")
        /// A key that occurs twice in one mapping.
        package static let duplicateKey = Code(name: "duplicateKey")
        /// A required key is missing.
        package static let missingKey = Code(name: "missingKey")
        /// A value of the wrong type or out of range.
        package static let badValue = Code(name: "badValue")
        /// `${NAME}` names a variable that is not in the environment.
        package static let missingVariable = Code(name: "missingVariable")
        /// Unusable JavaScript.
        package static let badScript = Code(name: "badScript")
        /// A file that the configuration names is unusable.
        package static let badFile = Code(name: "badFile")
        /// Two settings that exclude each other.
        package static let contradiction = Code(name: "contradiction")

        // Warnings.

        /// The admin port is reachable from other machines and requires no login.
        package static let exposedAdmin = Code(name: "exposedAdmin")
        /// A route that matches no document.
        package static let deadRoute = Code(name: "deadRoute")
        /// A route into a collection that is hidden from the legacy clients that write its documents.
        package static let hiddenRoute = Code(name: "hiddenRoute")
        /// A role that is not defined, or that no user has.
        package static let strayRole = Code(name: "strayRole")
        /// A channel that is granted but that no document is in, or that is required but never granted.
        package static let strayChannel = Code(name: "strayChannel")
        /// A password that is too short for the admin port.
        package static let weakPassword = Code(name: "weakPassword")
        /// A collection that is in the store and not in the file.
        package static let undescribedCollection = Code(name: "undescribedCollection")
    }

    /// The errors, at least one, in the order of their positions.
    package let findings: [ConfigurationFinding]

    private let first: ConfigurationFinding

    /// The code of the first error.
    package var code: Code { first.code }
    package var path: String { first.path }
    package var message: String { first.message }
    package var line: Int? { first.place.line }
    package var column: Int? { first.place.column }
    package var file: String? { first.place.file }

    /// A single error.
    package init(_ code: Code, at path: String, in place: ConfigurationPlace = ConfigurationPlace(), _ message: String) {
        first = ConfigurationFinding(.error, code, at: place, path: path, message)
        findings = [first]
    }

    /// The errors among the findings; `nil` if there are none.
    init?(_ findings: [ConfigurationFinding]) {
        let mistakes = findings.filter { $0.severity == .error }
        guard let first = mistakes.first else { return nil }
        self.first = first
        self.findings = mistakes
    }

    /// One line for each error.
    package var description: String {
        findings.map(\.description).joined(separator: "\n")
    }
}
