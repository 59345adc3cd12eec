package import Documents

/// Why the gateway refused a request. Each protocol translates it to its own errors.
package struct GatewayError: Error, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The request is invalid, whatever the database contains.
        package static let badRequest = Code("badRequest")
        /// The user does not exist any more, or is disabled.
        package static let unauthorized = Code("unauthorized")
        /// The user has no access to read or to write this.
        package static let forbidden = Code("forbidden")
        /// A sync function requires another login: `throw({unauthorized: "…"})`.
        package static let loginWanted = Code("loginWanted")
        /// The document, revision, attachment or collection does not exist.
        package static let notFound = Code("notFound")
        /// The document is deleted: its winner is a tombstone.
        package static let deleted = Code("deleted")
        /// The revision does not descend from the required one.
        package static let conflict = Code("conflict")
        /// The document references an attachment that is not stored.
        package static let missingAttachment = Code("missingAttachment")
        package static let tooLarge = Code("tooLarge")
        /// The configuration cannot be used.
        package static let configuration = Code("configuration")
        /// The database is offline, closing, or its store fails. A retry may succeed.
        package static let unavailable = Code("unavailable")
        /// A JavaScript function failed.
        package static let script = Code("script")
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
