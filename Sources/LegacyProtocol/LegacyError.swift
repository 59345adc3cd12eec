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
    package enum Code: Hashable, Sendable, CustomStringConvertible {
        case badRequest
        case unauthorized
        case forbidden
        case notFound
        case methodNotAllowed
        case notAcceptable
        case conflict
        case alreadyExists
        /// An attachment stub whose bytes are not stored. CouchDB's name: its replicator then sends the bytes.
        case missingStub
        case tooLarge
        /// Couchbase Lite gets 503 instead, because 429 stops its replications permanently.
        case tooManyRequests
        case uriTooLong
        case unsupportedType
        case rangeNotSatisfiable
        case internalError
        case unsupported
        case unavailable
        /// A request to the upstream has returned through other bridges.
        case loop

        package var status: HTTPResponse.Status {
            switch self {
            case .badRequest: .badRequest
            case .unauthorized: .unauthorized
            case .forbidden: .forbidden
            case .notFound: .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .notAcceptable: .notAcceptable
            case .conflict: .conflict
            case .alreadyExists, .missingStub: .preconditionFailed
            case .tooLarge: .contentTooLarge
            case .tooManyRequests: .tooManyRequests
            case .uriTooLong: .uriTooLong
            case .unsupportedType: .unsupportedMediaType
            case .rangeNotSatisfiable: .rangeNotSatisfiable
            case .internalError: .internalServerError
            case .unsupported: .notImplemented
            case .unavailable: .serviceUnavailable
            case .loop: .init(code: 508, reasonPhrase: "Loop Detected")
            }
        }

        /// The `error` member of a response: one of Sync Gateway's own names, otherwise the status's text.
        package var name: String {
            switch self {
            case .notFound: "not_found"
            case .conflict: "conflict"
            case .missingStub: "missing_stub"
            case .loop: "Loop Detected"
            case .badRequest, .unauthorized, .forbidden, .methodNotAllowed, .notAcceptable, .alreadyExists, .tooLarge, .tooManyRequests,
                .uriTooLong, .unsupportedType, .rangeNotSatisfiable, .internalError, .unsupported, .unavailable:
                status.namedByGo
            }
        }

        /// The `error` member of a row in `_bulk_docs` and `_bulk_get`. Clients derive the status from names that they know.
        package var rowName: String {
            switch self {
            case .badRequest: "bad_request"
            case .unauthorized: "unauthorized"
            case .forbidden: "forbidden"
            case .notAcceptable: "not_acceptable"
            case .alreadyExists: "file_exists"
            case .tooLarge: "too_large"
            case .tooManyRequests: "too_many_requests"
            case .unsupportedType: "bad_content_type"
            case .notFound, .conflict, .missingStub, .loop: name
            case .methodNotAllowed, .uriTooLong, .rangeNotSatisfiable, .internalError, .unsupported, .unavailable: String(status.code)
            }
        }

        package var description: String { "\(status.code) \(name)" }
    }
}
