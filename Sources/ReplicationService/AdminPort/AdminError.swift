package import HTTPTypes

/// Why a request to one of the server's own endpoints was refused.
package struct AdminError: Error, Sendable {
    package let status: HTTPResponse.Status

    /// What is wrong, in Sync Gateway's words where scripts know them.
    package let reason: String

    package init(_ status: HTTPResponse.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    package static func noDatabase(_ name: String) -> AdminError { AdminError(.notFound, "no such database \"\(name)\"") }
}
