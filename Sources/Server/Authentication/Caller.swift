import Access
import HTTP
import HTTPTypes
import HummingbirdCore

/// Who sends a request, and what the answer has to tell him about his login.
struct Caller: Sendable {
    let principal: Principal

    /// The cookie of a session that this request has prolonged.
    var cookie: SetCookie?

    init(principal: Principal, cookie: SetCookie? = nil) {
        self.principal = principal
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
