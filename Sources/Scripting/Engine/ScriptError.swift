/// Why a call of a script failed. The engine goes on for other calls.
public struct ScriptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as metrics and logs show it.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The call used more processor time than ``ScriptLimits/timeLimit``, or its batch more than ``ScriptLimits/batchTimeLimit``,
        /// or it took longer than ``ScriptLimits/wallTimeLimit``.
        public static let timeout = Code("timeout")
        /// The call took more memory than ``ScriptLimits/memoryLimit``.
        public static let memory = Code("memory")
        /// The function threw.
        public static let exception = Code("exception")
        /// The function's result is not one that its kind may have.
        public static let badResult = Code("badResult")
        /// The source is not a function.
        public static let compile = Code("compile")
        /// An argument is not JSON.
        public static let badArgument = Code("badArgument")
        /// An argument or the result is over its limit.
        public static let tooLarge = Code("tooLarge")
        /// Too many callers wait already.
        public static let busy = Code("busy")
        /// The engine was stopped.
        public static let stopped = Code("stopped")
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong, in words; may quote what the function threw.
    public let message: String
    /// The owner of the function (``ScriptFunction/owner``).
    public let owner: String
    /// The line in the function's source, from 1, where it is known.
    public let line: Int?
    /// The column in that line, from 1 and in UTF-16 units, where it is known.
    public let column: Int?

    /// A failure of a function.
    public init(_ code: Code, _ message: String, owner: String, line: Int? = nil, column: Int? = nil) {
        self.code = code
        self.message = message
        self.owner = owner
        self.line = line
        self.column = column
    }

    public var description: String {
        "\(owner)\(line.map { ", line \($0)" } ?? "")\(column.map { ", column \($0)" } ?? ""): \(message) (\(code))"
    }
}

extension ScriptError {
    /// A call that the watch ended.
    init(_ verdict: Code, owner: String) {
        let message =
            switch verdict {
            case .memory: "the function was ended: it took too much memory"
            case .stopped: "the function was ended: the script engine was stopped"
            default: "the function was ended: it took too long"
            }
        self.init(verdict, message, owner: owner)
    }
}
