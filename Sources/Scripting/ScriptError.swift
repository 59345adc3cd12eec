/// Why a function failed for one call. The engine and other calls go on.
public struct ScriptError: Error, Hashable, Sendable, CustomStringConvertible {
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The source is not a function that compiles.
        public static let compile = Code("compile")
        /// The function threw.
        public static let exception = Code("exception")
        /// The function ran longer than it may, and was stopped.
        public static let timeout = Code("timeout")
        /// The arguments are not JSON, or larger than the limit.
        public static let badArguments = Code("badArguments")
        /// The engine has been stopped.
        public static let stopped = Code("stopped")
    }

    public let code: Code

    /// What happened, with the function's own words where it threw.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code): \(message)" }
}
