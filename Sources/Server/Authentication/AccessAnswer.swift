import Access
import BridgeConfiguration
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import Logging
import ReplicationService

/// What a client is told when it is not let in, or a user or role cannot be changed: Sync Gateway's statuses and words.
struct AccessAnswer: Sendable {
    /// Asks for Basic credentials, in Sync Gateway's words.
    static let challenge = #"Basic realm="Couchbase Sync Gateway""#

    /// The name of the header, spelled as Sync Gateway does. LiteCore gives an app the headers of a refused handshake as they came, and the app
    /// looks them up by that spelling.
    static let challengeName = HTTPField.Name("Www-Authenticate") ?? .wwwAuthenticate

    let sendsChallenge: Bool
    let logger: Logger

    /// Where logins are counted that are not accepted.
    var counts: LoginCounts?

    func response(to error: any Error) -> Response {
        counts?.note(error)
        return switch error {
        case let error as AccessError: response(error)
        case let error as LoginError: error.response(sendsChallenge: sendsChallenge)
        case let error as AdminError: ServerAnswer.error(error.status, Self.name(error.status), error.reason)
        case let error as RequestError: error.response
        case let error as JSONError: ServerAnswer.error(.badRequest, "Bad Request", "Bad JSON: \(error)")
        case is CancellationError: ServerAnswer.error(.serviceUnavailable, "Service Unavailable", "The server is shutting down")
        default: internalError(error)
        }
    }

    private func response(_ error: AccessError) -> Response {
        guard let status = Self.statuses[error.code] else { return internalError(error) }
        var headers: HTTPFields = [:]
        if status == .unauthorized, sendsChallenge { headers[Self.challengeName] = Self.challenge }
        if let seconds = error.retryAfter { headers[.retryAfter] = String(seconds) }
        // Why somebody who was in is not any more is his administrator's business.
        let reason = error.code == .accountGone || error.code == .accountDisabled ? "Invalid login" : error.message
        return ServerAnswer.error(status, Self.name(status), reason, headers: headers)
    }

    private func internalError(_ error: any Error) -> Response {
        logger.error("a request about access failed", metadata: ["error": "\(error)"])
        return ServerAnswer.error(.internalServerError, "Internal Server Error", "Internal error: see the server's log")
    }

    private static let statuses: [AccessError.Code: HTTPResponse.Status] = [
        .loginRequired: .unauthorized, .invalidLogin: .unauthorized, .invalidSession: .unauthorized, .accountGone: .unauthorized,
        .accountDisabled: .unauthorized, .tooManyAttempts: .tooManyRequests, .busy: .serviceUnavailable, .badRequest: .badRequest,
        .notFound: .notFound, .alreadyExists: .conflict, .notAllowed: .methodNotAllowed,
    ]

    /// Sync Gateway has two names of its own, else the status's text.
    private static func name(_ status: HTTPResponse.Status) -> String {
        switch status {
        case .notFound: "not_found"
        case .conflict: "conflict"
        default: status.reasonPhrase
        }
    }
}

extension LoginError {
    /// The answer to the client. The cause stays here.
    ///
    /// - Parameter sendsChallenge: whether a 401 asks for Basic credentials: 2.8 clients send what they have only then.
    func response(sendsChallenge: Bool) -> Response {
        var headers: HTTPFields = [:]
        if code == .refused, sendsChallenge { headers[AccessAnswer.challengeName] = AccessAnswer.challenge }
        // A status that is made of its number has no name.
        let status: HTTPResponse.Status =
            switch code {
            case .malformed: .badRequest
            case .refused: .unauthorized
            case .unavailable: .serviceUnavailable
            default: .internalServerError
            }
        return ServerAnswer.error(status, status.reasonPhrase, message, headers: headers)
    }
}
