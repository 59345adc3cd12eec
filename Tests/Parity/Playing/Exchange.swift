import Documents
import HTTP
import HTTPTypes

/// An HTTP answer.
struct Answer {
    var status: Int
    var body: [UInt8]

    /// The body as JSON; null if it is not JSON.
    var json: JSONValue { (try? JSONValue(body)) ?? .null }
}

/// Requests to a server.
struct Exchange: Sendable {
    let server: any Server

    /// Whether users send their passwords, whose check takes a server long.
    let hasPasswords: Bool

    /// Otherwise the session of each user who has one.
    var sessions: [String: Session] = [:]

    /// A cookie for a user without a session.
    private static let noSession = "SyncGatewaySession=none"

    init(server: any Server, hasPasswords: Bool = false) {
        self.server = server
        self.hasPasswords = hasPasswords
    }

    struct Session {
        let cookie: String

        init?(_ answer: JSONValue) {
            guard let name = answer["cookie_name"]?.string, let id = answer["session_id"]?.string else { return nil }
            cookie = "\(name)=\(id)"
        }
    }

    /// Sends a request as a user to the public port, or as the administrator to the admin port.
    func ask(_ method: HTTPRequest.Method, _ path: String, as user: String, _ body: JSONValue? = nil) async throws -> Answer {
        var request = ServerRequest(
            method: method, path: path, headers: login(user), isToAdminPort: user == Write.administrator)
        request.headers[.accept] = "application/json"
        if let body {
            body.append(to: &request.body)
            request.headers[.contentType] = "application/json"
        }
        return try await server.answer(request)
    }

    /// The login header of a user; `nil` for clients without a login.
    func login(_ user: String) -> HTTPFields {
        guard user != Write.administrator, user != Client.guest else { return [:] }
        if !hasPasswords { return [.cookie: sessions[user]?.cookie ?? Self.noSession] }
        return [.authorization: BasicCredentials(user: user, password: Self.password(of: user)).authorization]
    }

    static func password(of user: String) -> String { "pw-\(user)" }
}
