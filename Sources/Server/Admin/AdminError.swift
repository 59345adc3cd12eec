import HTTPTypes

/// Why a request to one of the server's own endpoints was refused.
struct AdminError: Error, Sendable {
    let status: HTTPResponse.Status

    /// What is wrong, in Sync Gateway's words where scripts know them.
    let reason: String

    init(_ status: HTTPResponse.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    static func noDatabase(_ name: String) -> AdminError { AdminError(.notFound, "no such database \"\(name)\"") }
}
