/// Why a step cannot even be tried.
public struct CutoverError: Error, Hashable, Sendable, CustomStringConvertible {
    public struct Code: Hashable, Sendable {
        let name: String

        /// The database is at the first or the last stage.
        public static let noStep = Code(name: "noStep")
        /// Another stage lies between.
        public static let notNext = Code(name: "notNext")
        /// Gates are to be overridden, and nobody says why.
        public static let reasonMissing = Code(name: "reasonMissing")
        /// Another step is being taken.
        public static let busy = Code(name: "busy")
    }

    public let code: Code

    /// What is wrong, and what to do.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
