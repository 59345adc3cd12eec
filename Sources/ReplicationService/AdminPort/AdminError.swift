package import HTTPTypes

/// The refusal of a request to one of the server's own endpoints.
package struct AdminError: Error, Sendable {
    package let status: HTTPResponse.Status

    /// The reason, in Sync Gateway's words where scripts rely on them.
    package let reason: String

    package init(_ status: HTTPResponse.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    package static func noDatabase(_ name: String) -> AdminError { AdminError(.notFound, "no such database \"\(name)\"") }
}
