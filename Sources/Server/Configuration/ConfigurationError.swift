/// What is wrong with a configuration file, and where.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    public struct Code: Hashable, Sendable {
        let name: String

        /// The file cannot be read.
        public static let unreadable = Code(name: "unreadable")
        /// The text is not YAML.
        public static let malformed = Code(name: "malformed")
        /// A key that is not known at its place.
        public static let unknownKey = Code(name: "unknownKey")
        /// A key that has to be there is missing.
        public static let missingKey = Code(name: "missingKey")
        /// A value of another kind, or out of its range.
        public static let badValue = Code(name: "badValue")
        /// `${NAME}` names a variable that the environment does not have.
        public static let missingVariable = Code(name: "missingVariable")
    }

    public let code: Code

    /// The way to the place, such as `databases.shop.routes[2].when`.
    public let path: String

    /// What is wrong there and what to write instead.
    public let message: String

    /// The line in the file, from 1, where it is known.
    public let line: Int?

    /// The file, where it is known.
    public internal(set) var file: String?

    init(_ code: Code, at path: String, line: Int? = nil, _ message: String) {
        self.code = code
        self.path = path
        self.line = line
        self.message = message
    }

    public var description: String {
        let place = (file.map { "\($0): " } ?? "") + (line.map { "line \($0), " } ?? "")
        return path.isEmpty ? "\(place)\(message)" : "\(place)\(path): \(message)"
    }
}
