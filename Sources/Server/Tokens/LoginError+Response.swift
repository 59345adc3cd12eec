import Access
import HTTPTypes
import HummingbirdCore

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
