/// The errors in a configuration file, with their positions.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// The file cannot be read.
        case unreadable
        /// The text is not YAML, or not UTF-8.
        case malformed
        /// A key that is unknown in its mapping.
        case unknownKey
        /// A key that occurs twice in one mapping.
        case duplicateKey
        /// A required key is missing.
        case missingKey
        /// A value of the wrong type or out of range.
        case badValue
        /// `${NAME}` names a variable that is not in the environment.
        case missingVariable
        /// Unusable JavaScript.
        case badScript
        /// A file that the configuration names is unusable.
        case badFile
        /// Two settings that exclude each other.
        case contradiction

        // Warnings.

        /// The admin port is reachable from other machines and requires no login.
        case exposedAdmin
        /// A route that matches no document.
        case deadRoute
        /// A route into a collection that is hidden from the legacy clients that write its documents.
        case hiddenRoute
        /// A role that is not defined, or that no user has.
        case strayRole
        /// A channel that is granted but that no document is in, or that is required but never granted.
        case strayChannel
        /// A password that is too short for the admin port.
        case weakPassword
        /// A collection that is in the store and not in the file.
        case undescribedCollection

        /// The PostgreSQL server of a store cannot be reached.
        case unreachableStore
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
