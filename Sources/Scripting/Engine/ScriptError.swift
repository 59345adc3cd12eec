/// Error of a script call. It does not affect other calls of the engine.
package struct ScriptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Kind of the error.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as metrics and logs show it.
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The call used more processor time than ``ScriptLimits/timeLimit``, or its batch more than ``ScriptLimits/batchTimeLimit``,
        /// or it took longer than ``ScriptLimits/wallTimeLimit``.
        package static let timeout = Code("timeout")
        /// The call took more memory than ``ScriptLimits/memoryLimit``.
        package static let memory = Code("memory")
        /// The function threw.
        package static let exception = Code("exception")
        /// The function's result is not valid for its kind.
        package static let badResult = Code("badResult")
        /// The source is not a function.
        package static let compile = Code("compile")
        /// An argument is not JSON.
        package static let badArgument = Code("badArgument")
        /// An argument or the result is over its limit.
        package static let tooLarge = Code("tooLarge")
        /// Too many batches are waiting.
        package static let busy = Code("busy")
        /// The engine was stopped.
        package static let stopped = Code("stopped")
    }

    /// Kind of the error.
    package let code: Code
    /// Description of the error; may quote the value that the function threw.
    package let message: String
    /// The owner of the function (``ScriptFunction/owner``).
    package let owner: String
    /// The line in the function's source, from 1, if known.
    package let line: Int?
    /// The column in that line, from 1 and in UTF-16 units, if known.
    package let column: Int?

    /// A failure of a function.
    package init(_ code: Code, _ message: String, owner: String, line: Int? = nil, column: Int? = nil) {
        self.code = code
        self.message = message
        self.owner = owner
        self.line = line
        self.column = column
    }

    package var description: String {
        "\(owner)\(line.map { ", line \($0)" } ?? "")\(column.map { ", column \($0)" } ?? ""): \(message) (\(code))"
    }
}

extension ScriptError {
    /// The error of a call that ``Watch`` terminated.
    init(_ termination: Code, owner: String) {
        let message =
            switch termination {
            case .memory: "the function was ended: it took too much memory"
            case .stopped: "the function was ended: the script engine was stopped"
            default: "the function was ended: it took too long"
            }
        self.init(termination, message, owner: owner)
    }
}
