import Documents
import Gateway

extension RequestError {
    /// How this protocol says what went wrong below.
    init(_ error: any Error) {
        switch error {
        case let error as RequestError: self = error
        case let error as GatewayError: self.init(error)
        case let error as DocumentError: self.init(error)
        default:
            self.init(.unavailable, "The database is not available for now - asking client to reconnect", cause: error)
        }
    }

    init(_ error: GatewayError) {
        let code: Code =
            switch error.code {
            case .badRequest: .badRequest
            // With 401 a 2.x+ client would take its own login for wrong, and stop.
            case .forbidden, .loginWanted: .forbidden
            case .notFound, .deleted, .missingAttachment: .notFound
            case .conflict: .conflict
            case .tooLarge: .tooLarge
            // A client that comes back is asked for credentials anew (docs/protocol/modern-2x.md#changed-users).
            case .unavailable, .unauthorized: .unavailable
            default: .internalError
            }
        self.init(code, error.message, cause: error.cause)
    }

    /// Sync Gateway refuses its own properties with 404, and so a client expects.
    init(_ error: DocumentError) {
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
