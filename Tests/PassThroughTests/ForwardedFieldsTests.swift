import HTTPListener
import HTTPTypes
import NIOCore
import Testing

@testable import PassThrough

@Suite("The header fields of a request that is passed on")
struct ForwardedFieldsTests {
    private static func fields(_ pairs: [(String, String)]) throws -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        return fields
    }

    private static func pairs(_ fields: HTTPFields) -> [String] { fields.map { "\($0.name.rawName): \($0.value)" } }

    @Test("Fields of the connection are removed, and those that Connection names; the rest keeps its order, spelling and repetitions")
    func hopByHop() throws {
        let fields = try Self.fields([
            ("X-b", "1"), ("Connection", "close, X-Mine"), ("Keep-Alive", "5"), ("TE", "trailers"), ("x-MINE", "2"), ("Cookie", "a=1"),
            ("Trailer", "X"), ("cookie", "b=2"), ("Transfer-Encoding", "chunked"), ("Upgrade", "h2c"), ("Proxy-Connection", "x"),
            ("X-a", ""),
        ])
        #expect(Self.pairs(HopByHop.removed(from: fields)) == ["X-b: 1", "Cookie: a=1", "cookie: b=2", "X-a: "])
    }

    @Test("Connection cannot remove the fields that say where a body ends", arguments: ["Content-Length", "Content-Encoding", "host"])
    func framing(name: String) throws {
        let fields = try Self.fields([("Connection", name), (name, "7")])
        #expect(Self.pairs(HopByHop.removed(from: fields)) == ["\(name): 7"])
    }

    @Test("The client's address, scheme and host are the bridge's knowledge, not the client's claim")
    func forwarded() throws {
        let fields = try Self.fields([
            ("X-Forwarded-For", "9.9.9.9"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "evil"), ("X-Real-IP", "9.9.9.9"),
            ("Expect", "100-continue"), ("Authorization", "Basic eA=="),
        ])
        let request = HTTPRequest(method: .put, scheme: "http", authority: "old.example.com", path: "/shop/a", headerFields: fields)
        let info = RequestInfo(remoteAddress: try SocketAddress(ipAddress: "10.1.2.3", port: 4000), isSecure: false)
        let via = try #require(HTTPField.Name("Dualgauge-Via"))
        #expect(
            Self.pairs(ForwardedFields(request, info, additional: [via: "ab"]).fields) == [
                "Authorization: Basic eA==", "X-Forwarded-For: 10.1.2.3", "X-Forwarded-Proto: http", "X-Forwarded-Host: old.example.com",
                "Dualgauge-Via: ab",
            ])
    }
}
