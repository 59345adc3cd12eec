import HTTP
package import HTTPTypes

/// An error that the 1.x protocol reports to its client.
///
/// For a whole request, the response has the code's status and `{"error", "reason"}`. Within a list, each failed row has `error`, `reason` and
/// `status`.
package struct LegacyError: Error, Sendable {
    package let code: Code

    /// The problem, its place, and a remedy. Sync Gateway's text where clients depend on it.
    package let reason: String

    /// The underlying error, for the log; never sent to the client.
    package let cause: (any Error)?

    package init(_ code: Code, _ reason: String, cause: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.cause = cause
    }
}

extension LegacyError: CustomStringConvertible {
    package var description: String {
        cause.map { "\(code): \(reason) (\($0))" } ?? "\(code): \(reason)"
    }
}

extension LegacyError {
    /// The kinds of errors, each with its HTTP status and its names in the protocol.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let status: HTTPResponse.Status

        /// The `error` member of a response: one of Sync Gateway's own names, otherwise the status's text.
        package let name: String

        /// The `error` member of a row in `_bulk_docs` and `_bulk_get`. Clients derive the status from names that they know.
        package let rowName: String

        private init(_ status: HTTPResponse.Status, name: String? = nil, row: String? = nil) {
            self.status = status
            self.name = name ?? status.namedByGo
            rowName = row ?? name ?? String(status.code)
        }

        package static let badRequest = Code(.badRequest, row: "bad_request")
        package static let unauthorized = Code(.unauthorized, row: "unauthorized")
        package static let forbidden = Code(.forbidden, row: "forbidden")
        package static let notFound = Code(.notFound, name: "not_found")
        package static let methodNotAllowed = Code(.methodNotAllowed)
        package static let notAcceptable = Code(.notAcceptable, row: "not_acceptable")
        package static let conflict = Code(.conflict, name: "conflict")
        package static let alreadyExists = Code(.preconditionFailed, row: "file_exists")
        /// An attachment stub whose bytes are not stored. CouchDB's name: its replicator then sends the bytes.
        package static let missingStub = Code(.preconditionFailed, name: "missing_stub")
        package static let tooLarge = Code(.contentTooLarge, row: "too_large")
        /// Couchbase Lite gets 503 instead, because 429 stops its replications permanently.
        package static let tooManyRequests = Code(.tooManyRequests, row: "too_many_requests")
        package static let uriTooLong = Code(.uriTooLong)
        package static let unsupportedType = Code(.unsupportedMediaType, row: "bad_content_type")
        package static let rangeNotSatisfiable = Code(.rangeNotSatisfiable)
        package static let internalError = Code(.internalServerError)
        package static let unsupported = Code(.notImplemented)
        package static let unavailable = Code(.serviceUnavailable)
        /// A request to the upstream has returned through other bridges.
        package static let loop = Code(.init(code: 508, reasonPhrase: "Loop Detected"), name: "Loop Detected")

        package var description: String { "\(status.code) \(name)" }
    }
}
