import AsyncHTTPClient
import Documents
import HTTP
import NIOCore
import NIOHTTP1

/// An HTTP answer.
struct Answer {
    var status: Int
    var body: [UInt8]

    /// The body as JSON; null where it is none.
    var json: JSONValue { (try? JSONValue(body)) ?? .null }
}

/// Requests to a server.
struct Exchange: Sendable {
    let server: Server

    /// Whether users come with their passwords, which take a server long to check.
    let hasPasswords: Bool

    /// Else the session of each user who has one.
    var sessions: [String: Session] = [:]

    /// The cookie of a user who has no session.
    private static let noSession = "SyncGatewaySession=none"

    init(server: Server, hasPasswords: Bool = false) {
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

    /// Asks as a user on the public port, or as the administrator on the other.
    func ask(_ method: HTTPMethod, _ path: String, as user: String, _ body: JSONValue? = nil) async throws -> Answer {
        var request = HTTPClientRequest(url: (user == Write.administrator ? server.adminURL : server.publicURL) + path)
        request.method = method
        request.headers.add(name: "Accept", value: "application/json")
        for (name, value) in login(user) { request.headers.add(name: name, value: value) }
        if let body {
            var bytes: [UInt8] = []
            body.append(to: &bytes)
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: bytes))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        return Answer(status: Int(response.status.code), body: Array(buffer: try await response.body.collect(upTo: 16 << 20)))
    }

    /// The header by which a user logs in; none for those who do not.
    func login(_ user: String) -> [(name: String, value: String)] {
        guard user != Write.administrator, user != Client.guest else { return [] }
        if !hasPasswords { return [("Cookie", sessions[user]?.cookie ?? Self.noSession)] }
        return [("Authorization", BasicCredentials(user: user, password: Self.password(of: user)).authorization)]
    }

    static func password(of user: String) -> String { "pw-\(user)" }
}
