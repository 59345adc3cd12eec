import HTTP
package import HTTPTypes

/// Why a request of the 1.x protocol was refused, as its client is told.
///
/// A whole request is answered with the code's status and `{"error", "reason"}`; within a list, each row that failed has
/// `error`, `reason` and `status`.
package struct LegacyError: Error, Sendable {
    package let code: Code

    /// What is wrong, where, and what to do. Sync Gateway's words where clients know them.
    package let reason: String

    /// What brought it about, for the log; never sent to the client.
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
    /// The kinds of refusal, each with its HTTP status and its names on the wire.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let status: HTTPResponse.Status

        /// The `error` of a whole request's answer: Sync Gateway has two names of its own, else the status's text.
        package let name: String

        /// The `error` of a row in `_bulk_docs` and `_bulk_get`, from which clients take the status if they know the name.
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
        /// An attachment stub whose bytes are not here. CouchDB's name: its replicator sends them along then.
        package static let missingStub = Code(.preconditionFailed, name: "missing_stub")
        package static let tooLarge = Code(.contentTooLarge, row: "too_large")
        /// Couchbase Lite is answered with 503 instead: 429 ends its replications for good.
        package static let tooManyRequests = Code(.tooManyRequests, row: "too_many_requests")
        package static let uriTooLong = Code(.uriTooLong)
        package static let unsupportedType = Code(.unsupportedMediaType, row: "bad_content_type")
        package static let rangeNotSatisfiable = Code(.rangeNotSatisfiable)
        package static let internalError = Code(.internalServerError)
        package static let unsupported = Code(.notImplemented)
        package static let unavailable = Code(.serviceUnavailable)
        /// A question of ours has come back to us by other bridges.
        package static let loop = Code(.init(code: 508, reasonPhrase: "Loop Detected"), name: "Loop Detected")

        package var description: String { "\(status.code) \(name)" }
    }
}
