package import BLIP
package import Documents
package import Gateway

/// The reason for an error reply. Its message is sent to the peer.
package struct BLIPRequestError: Error, Equatable, CustomStringConvertible {
    /// The kinds of error replies, each with its domain and number (docs/protocol/modern-2x.md#error-replies).
    package enum Code: Hashable, Sendable {
        case badRequest
        case forbidden
        case notFound
        case conflict
        case tooLarge
        /// The body cannot be processed in this form; another form may be accepted.
        case unprocessable
        case internalError
        /// Makes the client close the connection, wait and reconnect.
        case unavailable
        /// No handler exists for the request's profile.
        case noHandler

        /// The domain: HTTP, which clients support best, except for ``noHandler``.
        package var domain: String { self == .noHandler ? "BLIP" : "HTTP" }

        package var number: Int {
            switch self {
            case .badRequest: 400
            case .forbidden: 403
            case .notFound, .noHandler: 404
            case .conflict: 409
            case .tooLarge: 413
            case .unprocessable: 422
            case .internalError: 500
            case .unavailable: 503
            }
        }
    }

    package let code: Code
    package let message: String

    /// The underlying error. It is logged and not sent to the peer.
    package let cause: (any Error)?

    /// Whether the client is at fault, regardless of ``code``. Such errors are not logged as failures.
    package let isRefusal: Bool

    package init(_ code: Code, _ message: String, isRefusal: Bool = false, cause: (any Error)? = nil) {
        self.isRefusal = isRefusal
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The error reply for a request.
    package func reply(to number: UInt64) -> BLIPMessage {
        .error(to: number, domain: code.domain, code: code.number, message: message)
    }

    package var description: String {
        cause.map { "\(code.domain) \(code.number): \(message) (\($0))" } ?? "\(code.domain) \(code.number): \(message)"
    }

    package static func == (a: BLIPRequestError, b: BLIPRequestError) -> Bool {
        a.code == b.code && a.message == b.message
    }
}

extension BLIPRequestError {
    /// Maps an error of the lower layers to an error reply.
    package init(_ error: any Error) {
        switch error {
        case let error as BLIPRequestError: self = error
        case let error as GatewayError: self.init(error)
        case let error as DocumentError: self.init(error)
        default:
            self.init(.unavailable, "The database is not available for now - asking client to reconnect", cause: error)
        }
    }

    package init(_ error: GatewayError) {
        let code: Code =
            switch error.code {
            case .badRequest, .digestMismatch: .badRequest
            // On 401 a 2.x+ client would treat its own login as invalid, and stop.
            case .forbidden, .loginWanted: .forbidden
            case .notFound, .deleted, .missingAttachment: .notFound
            case .conflict: .conflict
            case .tooLarge: .tooLarge
            // A client that reconnects is asked for its credentials again (docs/protocol/modern-2x.md#changed-users).
            case .unavailable, .unauthorized: .unavailable
            case .configuration, .script: .internalError
            }
        self.init(code, error.message, cause: error.cause)
    }

    /// Sync Gateway refuses documents with its own properties with 404, and clients expect that status.
    package init(_ error: DocumentError) {
        let code: Code =
            switch error.code {
            case .reservedProperty: .notFound
            case .tooLarge: .tooLarge
            case .badDelta: .unprocessable
            case .badJSON, .duplicateKey, .tooDeep, .badDocumentID, .badRevisionID, .badVersion, .badRevisions, .unknownRevision, .badTree,
                .badAttachment, .missingAttachment, .badBase64, .digestMismatch, .lengthMismatch, .badSelector:
                .badRequest
            }
        self.init(code, error.message, cause: error.cause)
    }
}
