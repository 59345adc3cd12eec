import Access
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyTestSupport
import NIOCore
import Testing

@testable import LegacyProtocol
@testable import LegacyServer

@Suite("Limits on a client's requests")
struct TrafficTests {
    private func respond(_ bridge: Bridge, _ path: String, as principal: Principal, headers: HTTPFields = [:]) async throws -> Response {
        let target = try RequestTarget(path)
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path, headerFields: headers)
        return await bridge.listener.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), at: LegacyMatch(target),
            in: bridge.database.unified.seen(by: principal), caller: LegacyCaller(isAdministrator: principal.isAdministrator),
            info: RequestInfo(remoteAddress: try SocketAddress(ipAddress: "10.0.0.1", port: 5000)))
    }

    private func bridge(_ limit: (inout LegacyLimits) -> Void) async throws -> Bridge {
        var limits = LegacyLimits()
        limit(&limits)
        let bridge = try await Bridge(limits: limits)
        try await Accounts(bridge.store).configureGuest(isEnabled: true, channels: ["*"])
        return bridge
    }

    private static let couchbaseLite: HTTPFields = [.userAgent: "CouchbaseLite/1.3 (1.4.4/abc)"]

    @Test("One open feed too many is 429, or 503 for Couchbase Lite; other requests are served, and a feed that ends frees its place")
    func openFeeds() async throws {
        let bridge = try await bridge { $0.openFeeds = 2 }
        let path = "/db/_changes?feed=longpoll&heartbeat=30000"
        var open: [Response] = [try await respond(bridge, path, as: .guest), try await respond(bridge, path, as: .guest)]
        #expect(open.map(\.status.code) == [200, 200])
        let refused = try await respond(bridge, path, as: .guest)
        #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "5")
        // Couchbase Lite for Java reads an error's body as a feed without rows, so the response breaks off instead.
        let broken = try await respond(bridge, path, as: .guest, headers: Self.couchbaseLite)
        await #expect(throws: LegacyError.self) { try await broken.body.write(SinkWriter(sink: Sink())) }
        // iOS and macOS check the status.
        let later = try await respond(bridge, path, as: .guest, headers: [.userAgent: "CouchbaseLite/1.3 (iOS 1.4.4/abc)"])
        #expect(later.status == .serviceUnavailable && later.headers[.retryAfter] == "5")
        #expect(try await respond(bridge, "/db/_changes", as: .guest).status == .ok)
        #expect(try await respond(bridge, path, as: .administrator).status == .ok)
        open.removeLast()
        #expect(try await respond(bridge, path, as: .guest).status == .ok)
    }

    @Test("Too many requests per second are 429 with Retry-After, or 503 for Couchbase Lite; administrators are exempt")
    func requestRate() async throws {
        let bridge = try await bridge { $0.requestRate = 1 }
        for _ in 0..<10 { #expect(try await respond(bridge, "/db/", as: .guest).status == .ok) }
        var refused: [Response] = []
        // A slow machine may refill the bucket in the meantime.
        while refused.isEmpty {
            let response = try await respond(bridge, "/db/", as: .guest)
            if response.status != .ok { refused.append(response) }
        }
        #expect(refused[0].status == .tooManyRequests && refused[0].headers[.retryAfter] == "5")
        #expect(try await respond(bridge, "/db/", as: .administrator).status == .ok)
    }

    @Test("A bucket refills with time up to its capacity")
    func bucket() throws {
        let rates = RequestRates(rate: 2)
        let identity = ClientIdentity(database: "db", user: "ann", address: nil)
        let start = ContinuousClock.now
        for _ in 0..<20 { try rates.count(identity, at: start) }
        #expect(throws: LegacyError.self) { try rates.count(identity, at: start) }
        try rates.count(identity, at: start + .milliseconds(500))
        #expect(throws: LegacyError.self) { try rates.count(identity, at: start + .milliseconds(500)) }
        for _ in 0..<20 { try rates.count(identity, at: start + .seconds(3_600)) }
        #expect(throws: LegacyError.self) { try rates.count(identity, at: start + .seconds(3_600)) }
    }
}
