/// Error of a script call. It does not affect other calls of the engine.
package struct ScriptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Kind of the error.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// The call used more processor time than ``ScriptLimits/timeLimit``, or its batch more than ``ScriptLimits/batchTimeLimit``,
        /// or it took longer than ``ScriptLimits/wallTimeLimit``.
        case timeout
        /// The call took more memory than ``ScriptLimits/memoryLimit``.
        case memory
        /// The function threw.
        case exception
        /// The function's result is not valid for its kind.
        case badResult
        /// The source is not a function.
        case compile
        /// An argument is not JSON.
        case badArgument
        /// An argument or the result is over its limit.
        case tooLarge
        /// Too many batches are waiting.
        case busy
        /// The engine was stopped.
        case stopped

        /// The code's name, as metrics and logs show it.
        package var description: String { rawValue }
    }

    /// Kind of the error.
    package let code: Code
    /// Description of the error; may quote the value that the function threw.
    package let message: String
    /// The owner of the function (``ScriptFunction/owner``).
    package let owner: String
    /// Whether the source is not JavaScript, with the code ``Code/compile``.
    package let isSyntaxError: Bool
    /// The line in the function's source, from 1, if known.
    package let line: Int?
    /// The column in that line, from 1 and in UTF-16 units, if known.
    package let column: Int?

    /// A failure of a function.
    package init(
        _ code: Code, _ message: String, owner: String, isSyntaxError: Bool = false, line: Int? = nil, column: Int? = nil
    ) {
        self.code = code
        self.isSyntaxError = isSyntaxError
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
    init(_ termination: Watch.Termination, owner: String) {
        switch termination {
        case .timeout: self.init(.timeout, "the function was ended: it took too long", owner: owner)
        case .memory: self.init(.memory, "the function was ended: it took too much memory", owner: owner)
        case .stopped: self.init(.stopped, "the function was ended: the script engine was stopped", owner: owner)
        }
    }
}
