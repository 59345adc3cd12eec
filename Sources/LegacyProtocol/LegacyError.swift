import HTTP
public import HTTPTypes

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

extension LegacyError {
    /// The kinds of refusal, each with its HTTP status and its names on the wire.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let status: HTTPResponse.Status

        /// The `error` of a whole request's answer: Sync Gateway has two names of its own, else the status's text.
        public let name: String

        /// The `error` of a row in `_bulk_docs` and `_bulk_get`, from which clients take the status if they know the name.
        public let rowName: String

        private init(_ status: HTTPResponse.Status, name: String? = nil, row: String? = nil) {
            self.status = status
            self.name = name ?? status.namedByGo
            rowName = row ?? name ?? String(status.code)
        }

        public static let badRequest = Code(.badRequest, row: "bad_request")
        public static let unauthorized = Code(.unauthorized, row: "unauthorized")
        public static let forbidden = Code(.forbidden, row: "forbidden")
        public static let notFound = Code(.notFound, name: "not_found")
        public static let methodNotAllowed = Code(.methodNotAllowed)
        public static let notAcceptable = Code(.notAcceptable, row: "not_acceptable")
        public static let conflict = Code(.conflict, name: "conflict")
        public static let alreadyExists = Code(.preconditionFailed, row: "file_exists")
        /// An attachment stub whose bytes are not here. CouchDB's name: its replicator sends them along then.
        public static let missingStub = Code(.preconditionFailed, name: "missing_stub")
        public static let tooLarge = Code(.contentTooLarge, row: "too_large")
        /// Couchbase Lite is answered with 503 instead: 429 ends its replications for good.
        public static let tooManyRequests = Code(.tooManyRequests, row: "too_many_requests")
        public static let uriTooLong = Code(.uriTooLong)
        public static let unsupportedType = Code(.unsupportedMediaType, row: "bad_content_type")
        public static let rangeNotSatisfiable = Code(.rangeNotSatisfiable)
        public static let internalError = Code(.internalServerError)
        public static let unsupported = Code(.notImplemented)
        public static let unavailable = Code(.serviceUnavailable)
        /// A question of ours has come back to us by other bridges.
        public static let loop = Code(.init(code: 508, reasonPhrase: "Loop Detected"), name: "Loop Detected")

        public var description: String { "\(status.code) \(name)" }
    }
}
