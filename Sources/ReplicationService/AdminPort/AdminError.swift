package import HTTPTypes

/// The refusal of a request to one of the server's own endpoints.
package struct AdminError: Error, Sendable {
    package let status: HTTPResponse.Status

    /// The reason, in Sync Gateway's words where scripts rely on them.
    package let reason: String

    /// The seconds after which the client may try again; `nil` where that is of no use.
    package let retryAfter: Int?

    package init(_ status: HTTPResponse.Status, _ reason: String, retryAfter: Int? = nil) {
        self.status = status
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// The refusal of a request that may succeed in some seconds.
    package static func unavailable(_ reason: String) -> AdminError { AdminError(.serviceUnavailable, reason, retryAfter: 5) }

    package static func noDatabase(_ name: String) -> AdminError { AdminError(.notFound, "no such database \"\(name)\"") }
}
