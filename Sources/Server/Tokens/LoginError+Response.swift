import Access
import HTTPTypes
import HummingbirdCore

extension LoginError {
    /// The answer to the client. The cause stays here.
    var response: Response {
        var headers: HTTPFields = [:]
        // 1.x clients on iOS look for another way to log in, 2.8 ones send what they have.
        if code == .refused { headers[.wwwAuthenticate] = #"Basic realm="Couchbase Sync Gateway""# }
        let status = HTTPResponse.Status(code: code.status)
        return ServerAnswer.error(status, status.reasonPhrase, message, headers: headers)
    }
}
