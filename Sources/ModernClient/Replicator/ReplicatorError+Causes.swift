import BLIP
import Documents
import Gateway
import ModernProtocol

extension ReplicatorError {
    /// The error for an error reply of the server (docs/protocol/modern-2x.md#error-replies).
    init(_ reply: BLIPMessage, to what: String) {
        let number = reply.errorCode ?? 0
        let text = reply.errorMessage.map { String($0.prefix(500)) } ?? ""
        let code: Code =
            switch reply.errorDomain {
            case "HTTP", "WebSocket": .http(number)
            case "LiteCore": Code(rawValue: number)
            case "Network": .network(number)
            default: .remoteError
            }
        self.init(code, "The server answered \(what) with \(reply.errorDomain ?? "") \(number): \(text)")
        // Only the text of the reply distinguishes this error.
        wantsCollection = code == .http(400) && text.lowercased().contains("collection property")
    }

    /// The error for a failure on this side.
    init(local error: any Error) {
        switch error {
        case let error as ReplicatorError: self = error
        case let error as BLIPRequestError: self.init(.http(error.code.number), error.message, cause: error.cause)
        case let error as GatewayError:
            let status = BLIPRequestError(error)
            self.init(.http(status.code.number), error.message, cause: error.cause)
        case let error as DocumentError:
            self.init(.http(BLIPRequestError(error).code.number), error.message)
        default: self.init(.unexpectedError, "The local database failed; see its log", cause: error)
        }
    }

    /// The error for a connection that ended because the server violated the protocol.
    init(_ error: BLIPError) {
        self.init(.unexpectedCondition, "The server broke the protocol", cause: error)
    }
}
