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

    /// Asks as a user on the public port, or as the administrator on the other.
    func ask(_ method: HTTPMethod, _ path: String, as user: String, _ body: JSONValue? = nil) async throws -> Answer {
        var request = HTTPClientRequest(url: (user == Write.administrator ? server.adminURL : server.publicURL) + path)
        request.method = method
        request.headers.add(name: "Accept", value: "application/json")
        if let authorization = Self.authorization(user) { request.headers.add(name: "Authorization", value: authorization) }
        if let body {
            var bytes: [UInt8] = []
            body.append(to: &bytes)
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: bytes))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        return Answer(status: Int(response.status.code), body: Array(buffer: try await response.body.collect(upTo: 16 << 20)))
    }

    static func authorization(_ user: String) -> String? {
        guard user != Write.administrator, user != Client.guest else { return nil }
        return BasicCredentials(user: user, password: password(of: user)).authorization
    }

    static func password(of user: String) -> String { "pw-\(user)" }
}
