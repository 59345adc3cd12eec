package import Documents

/// Why the gateway refused a request. Each protocol translates it to its own errors.
package struct GatewayError: Error, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// The request is invalid, whatever the database contains.
        case badRequest
        /// The bytes of an attachment do not have the digest that the sender announced.
        case digestMismatch
        /// The user does not exist any more, or is disabled.
        case unauthorized
        /// The user has no access to read or to write this.
        case forbidden
        /// A sync function requires another login: `throw({unauthorized: "…"})`.
        case loginWanted
        /// The document, revision, attachment or collection does not exist.
        case notFound
        /// The document is deleted: its winner is a tombstone.
        case deleted
        /// The revision does not descend from the required one.
        case conflict
        /// The document references an attachment that is not stored.
        case missingAttachment
        case tooLarge
        /// The configuration cannot be used.
        case configuration
        /// The database is offline, closing, or its store fails. A retry may succeed.
        case unavailable
        /// A JavaScript function failed.
        case script

        /// The code's name, as it appears in logs, where a wrong digest is a bad request.
        package var description: String { self == .digestMismatch ? Code.badRequest.rawValue : rawValue }
    }

    package let code: Code

    /// What happened, where, and what to do.
    package let message: String

    /// With `conflict`: the winning revision that causes the conflict.
    package let current: RevisionID?
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, current: RevisionID? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.current = current
        self.cause = cause
    }

    package var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
