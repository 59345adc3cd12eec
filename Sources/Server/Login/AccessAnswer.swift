import Access
import BridgeConfiguration
import Documents
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import ReplicationService
import Storage

/// The error replies to requests about access, with Sync Gateway's statuses and texts: refused logins, and failed changes of users and
/// roles.
struct AccessAnswer: Sendable {
    /// The challenge for Basic credentials, with Sync Gateway's realm.
    static let challenge = #"Basic realm="Couchbase Sync Gateway""#

    /// The header's name in Sync Gateway's spelling. LiteCore passes the headers of a refused handshake to the app unchanged, and apps look
    /// them up by that spelling.
    static let challengeName = HTTPField.Name("Www-Authenticate") ?? .wwwAuthenticate

    let sendsChallenge: Bool
    let logger: Logger

    /// The counter of refused logins.
    var counts: LoginCounts?

    func response(to error: any Error) -> Response {
        counts?.record(error)
        return switch error {
        case let error as AccessError: response(error)
        case let error as LoginError: error.response(sendsChallenge: sendsChallenge)
        case let error as AdminError: response(error)
        case let error as RequestError: error.response
        case let error as JSONError: ServerAnswer.error(.badRequest, "Bad Request", "Bad JSON: \(error)")
        case is CancellationError: ServerAnswer.error(.serviceUnavailable, "Service Unavailable", "The server is shutting down")
        case let error as StorageError where error.isOfStore: unavailable(error)
        default: internalError(error)
        }
    }

    private func response(_ error: AdminError) -> Response {
        let headers: HTTPFields = error.retryAfter.map { [.retryAfter: String($0)] } ?? [:]
        return ServerAnswer.error(error.status, Self.name(error.status), error.reason, headers: headers)
    }

    private func response(_ error: AccessError) -> Response {
        guard let status = Self.status(of: error.code) else { return internalError(error) }
        var headers: HTTPFields = [:]
        if status == .unauthorized, sendsChallenge { headers[Self.challengeName] = Self.challenge }
        if let seconds = error.retryAfter { headers[.retryAfter] = String(seconds) }
        // Only the administrator is to see why an account has lost its access.
        let reason = error.code == .accountGone || error.code == .accountDisabled ? "Invalid login" : error.message
        return ServerAnswer.error(status, Self.name(status), reason, headers: headers)
    }

    /// The reply while the store cannot be used. Clients try again after a 503, and give up at a 500.
    private func unavailable(_ error: StorageError) -> Response {
        logger.error("a request about access failed", metadata: ["error": "\(error)"])
        return ServerAnswer.unavailable("The database cannot be used for now: see the server's log")
    }

    private func internalError(_ error: any Error) -> Response {
        logger.error("a request about access failed", metadata: ["error": "\(error)"])
        return ServerAnswer.error(.internalServerError, "Internal Server Error", "Internal error: see the server's log")
    }

    /// The status for a refusal; `nil` for a failure of this server.
    private static func status(of code: AccessError.Code) -> HTTPResponse.Status? {
        switch code {
        case .loginRequired, .invalidLogin, .invalidSession, .accountGone, .accountDisabled: .unauthorized
        case .tooManyAttempts: .tooManyRequests
        case .busy: .serviceUnavailable
        case .badRequest: .badRequest
        case .notFound: .notFound
        case .alreadyExists: .conflict
        case .notAllowed: .methodNotAllowed
        case .damaged: nil
        }
    }

    /// Sync Gateway has error names of its own for two statuses; for the others it uses the reason phrase.
    private static func name(_ status: HTTPResponse.Status) -> String {
        switch status {
        case .notFound: "not_found"
        case .conflict: "conflict"
        default: status.reasonPhrase
        }
    }
}

extension LoginError {
    /// The reply to the client, without the cause.
    ///
    /// - Parameter sendsChallenge: whether a 401 asks for Basic credentials. 2.8 clients send their credentials only after a challenge.
    func response(sendsChallenge: Bool) -> Response {
        var headers: HTTPFields = [:]
        if code == .refused, sendsChallenge { headers[AccessAnswer.challengeName] = AccessAnswer.challenge }
        // These are the predefined statuses: one built from a number has no reason phrase.
        let status: HTTPResponse.Status =
            switch code {
            case .malformed: .badRequest
            case .refused: .unauthorized
            case .unavailable: .serviceUnavailable
            case .misconfigured: .internalServerError
            }
        return ServerAnswer.error(status, status.reasonPhrase, message, headers: headers)
    }
}
