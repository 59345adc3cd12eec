/// Why a request of the 1.x protocol was refused, as its client is told.
///
/// A whole request is answered with the code's status and `{"error", "reason"}`; within a list, each row that failed has
/// `error`, `reason` and `status`.
public struct LegacyError: Error, Sendable {
    public let code: Code

    /// What is wrong, where, and what to do. Sync Gateway's words where clients know them.
    public let reason: String

    /// What brought it about, for the log; never sent to the client.
    public let cause: (any Error)?

    public init(_ code: Code, _ reason: String, cause: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.cause = cause
    }
}

extension LegacyError: CustomStringConvertible {
    public var description: String {
        cause.map { "\(code): \(reason) (\($0))" } ?? "\(code): \(reason)"
    }
}
