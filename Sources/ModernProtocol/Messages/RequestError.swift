package import BLIP
package import Documents
package import Gateway

/// The reason for an error reply. Its message is sent to the peer.
package struct RequestError: Error, Equatable, CustomStringConvertible {
    /// An error reply's domain and number (docs/protocol/modern-2x.md#error-replies).
    package struct Code: Hashable, Sendable {
        package let domain: String
        package let number: Int

        /// A code of the HTTP domain, which clients support best.
        package static func http(_ status: Int) -> Code {
            Code(domain: "HTTP", number: status)
        }

        package static let badRequest = http(400)
        package static let forbidden = http(403)
        package static let notFound = http(404)
        package static let conflict = http(409)
        package static let tooLarge = http(413)
        /// The body cannot be processed in this form; another form may be accepted.
        package static let unprocessable = http(422)
        package static let internalError = http(500)
        package static let unsupported = http(501)
        /// Makes the client close the connection, wait and reconnect.
        package static let unavailable = http(503)
        /// No handler exists for the request's profile.
        package static let noHandler = Code(domain: "BLIP", number: 404)
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

    package static func == (a: RequestError, b: RequestError) -> Bool {
        a.code == b.code && a.message == b.message
    }
}

extension RequestError {
    /// Maps an error of the lower layers to an error reply.
    package init(_ error: any Error) {
        switch error {
        case let error as RequestError: self = error
        case let error as GatewayError: self.init(error)
        case let error as DocumentError: self.init(error)
        default:
            self.init(.unavailable, "The database is not available for now - asking client to reconnect", cause: error)
        }
    }

    package init(_ error: GatewayError) {
        let code: Code =
            switch error.code {
            case .badRequest: .badRequest
            // On 401 a 2.x+ client would treat its own login as invalid, and stop.
            case .forbidden, .loginWanted: .forbidden
            case .notFound, .deleted, .missingAttachment: .notFound
            case .conflict: .conflict
            case .tooLarge: .tooLarge
            // A client that reconnects is asked for its credentials again (docs/protocol/modern-2x.md#changed-users).
            case .unavailable, .unauthorized: .unavailable
            default: .internalError
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
            default: .badRequest
            }
        self.init(code, error.message, cause: error.cause)
    }
}
