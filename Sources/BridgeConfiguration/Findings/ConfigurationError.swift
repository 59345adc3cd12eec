/// What is wrong with a configuration file, and where: all mistakes that were found.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    public struct Code: Hashable, Sendable {
        public let name: String

        /// The file cannot be read.
        public static let unreadable = Code(name: "unreadable")
        /// The text is not YAML, or not UTF-8.
        public static let malformed = Code(name: "malformed")
        /// A key that is not known at its place.
        public static let unknownKey = Code(name: "unknownKey")
        /// A key that stands in one mapping twice.
        public static let duplicateKey = Code(name: "duplicateKey")
        /// A key that has to be there is missing.
        public static let missingKey = Code(name: "missingKey")
        /// A value of another kind, or out of its range.
        public static let badValue = Code(name: "badValue")
        /// `${NAME}` names a variable that the environment does not have.
        public static let missingVariable = Code(name: "missingVariable")
        /// JavaScript that cannot be used.
        public static let badScript = Code(name: "badScript")
        /// A file that the configuration names cannot be used.
        public static let badFile = Code(name: "badFile")
        /// Two settings that cannot hold both.
        public static let contradiction = Code(name: "contradiction")

        // Warnings.

        /// The admin port can be reached from elsewhere, and asks nobody who he is.
        public static let exposedAdmin = Code(name: "exposedAdmin")
        /// A route that no document can take.
        public static let deadRoute = Code(name: "deadRoute")
        /// A route into a collection that the writers of its documents do not see.
        public static let hiddenRoute = Code(name: "hiddenRoute")
        /// A role that nobody defines, or that nobody has.
        public static let strayRole = Code(name: "strayRole")
        /// A channel that is given and never filled, or asked for and never given.
        public static let strayChannel = Code(name: "strayChannel")
        /// A password that the admin port would not take.
        public static let weakPassword = Code(name: "weakPassword")
        /// A collection that the store has and the file has not.
        public static let undescribedCollection = Code(name: "undescribedCollection")
    }

    /// The mistakes, at least one, in the order of their lines.
    public let findings: [ConfigurationFinding]

    private let first: ConfigurationFinding

    /// What the first mistake is.
    public var code: Code { first.code }
    public var path: String { first.path }
    public var message: String { first.message }
    public var line: Int? { first.place.line }
    public var column: Int? { first.place.column }
    public var file: String? { first.place.file }

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
    public var description: String {
        findings.map(\.description).joined(separator: "\n")
    }
}
