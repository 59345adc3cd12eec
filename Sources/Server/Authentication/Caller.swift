import Access
import HTTP
import HTTPTypes
import HummingbirdCore

/// Who sends a request, and what the answer has to tell him about his login.
struct Caller: Sendable {
    let principal: Principal

    /// When the proof that he sent ends, in seconds since 1970, if it says so. A session that he begins with it does not last longer.
    var expires: Int64?

    /// The cookie of a session that this request has prolonged.
    var cookie: SetCookie?

    /// What the login stands on; `nil` for the guest and for administrators.
    var proof: LoginProof?

    init(principal: Principal, expires: Int64? = nil, proof: LoginProof? = nil, cookie: SetCookie? = nil) {
        self.principal = principal
        self.expires = expires
        self.proof = proof
        self.cookie = cookie
    }

    /// Adds the cookie to an answer, a WebSocket's included.
    func stamp(_ response: Response) -> Response {
        guard let cookie, response.headers[.setCookie] == nil else { return response }
        var response = response
        response.headers[.setCookie] = cookie.rendered
        return response
    }
}
