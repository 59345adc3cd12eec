import BLIP
import Coordination
import Foundation
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import ModernTestSupport
import Storage
import TestSupport
import Testing

@testable import ModernClient

@Suite("Headers of a replicator's connection", .timeLimit(.minutes(2)))
struct ConnectionHeaderTests {
    /// The headers of the received requests.
    private final class RequestHeaders: Sendable {
        private let requests = Lock<[HTTPFields]>([])

        func record(_ headers: HTTPFields) { requests.withLock { $0.append(headers) } }
        var all: [HTTPFields] { requests.withLock { $0 } }
        var cookies: [String?] { all.map { $0[.cookie] } }
    }

    private static let basic = "Basic " + Data("john:pass".utf8).base64EncodedString()

    @Test("Basic, a session under either name, own headers and credentials in the URL are sent, and none of them by default")
    func headers() async throws {
        let pair = try await ReplicationPair()
        let seen = RequestHeaders()
        let server = WebServer(answer: {
            seen.record($0)
            return nil
        })
        try await server.run(pair.remote) { url in
            func replicate(_ url: String, _ change: (inout ReplicatorConfiguration) -> Void) async throws -> HTTPFields? {
                var config = ReplicatorConfiguration(database: pair.local.app, target: URLEndpoint(url: url))
                change(&config)
                #expect(try await pair.run(config).status.error == nil)
                return seen.all.last
            }
            let plain = try await replicate(url) { _ in }
            #expect(plain?[.authorization] == nil && plain?[.cookie] == nil && plain?[.userAgent]?.hasPrefix("CouchbaseLite/") == true)
            let john = try await replicate(url) { $0.authenticator = BasicAuthenticator(username: "john", password: "pass") }
            #expect(john?[.authorization] == Self.basic)
            let session = try await replicate(url) { $0.authenticator = SessionAuthenticator(sessionID: "904ac010862f37c8") }
            #expect(session?[.cookie] == "SyncGatewaySession=904ac010862f37c8" && session?[.authorization] == nil)
            let named = try await replicate(url) { $0.authenticator = SessionAuthenticator(sessionID: "904a", cookieName: "Mine") }
            #expect(named?[.cookie] == "Mine=904a")
            let name = try #require(HTTPField.Name("CustomHeaderName"))
            #expect(try await replicate(url) { $0.headers = ["CustomHeaderName": "Value"] }?[name] == "Value")
            // From a certain interface, by its address.
            #expect(try await replicate(url) { $0.networkInterface = "127.0.0.1" } != nil)
            let embedded = url.replacingOccurrences(of: "://", with: "://john:pass@")
            #expect(try await replicate(embedded) { _ in }?[.authorization] == Self.basic)
            let other = BasicAuthenticator(username: "x", password: "y")
            #expect(try await replicate(embedded) { $0.authenticator = other }?[.authorization] != Self.basic)
        }
    }

    @Test("Cookies of the server are sent with the next connections, and the app's replace those that have become invalid")
    func cookies() async throws {
        let pair = try await ReplicationPair()
        let seen = RequestHeaders()
        var set = HTTPFields()
        for cookie in ["balancer=7; Path=/", "SyncGatewaySession=new; Path=/db; HttpOnly", "safe=1; Secure", "elsewhere=1; Path=/other"] {
            set.append(HTTPField(name: .setCookie, value: cookie))
        }
        let isOver = Flag()
        let server = WebServer(
            answer: { headers in
                seen.record(headers)
                return isOver.isSet && headers[.cookie]?.contains("new") == true ? Response(status: .unauthorized) : nil
            }, headers: set)
        try await server.run(pair.remote) { url in
            var config = ReplicatorConfiguration(database: pair.local.app, target: URLEndpoint(url: url))
            config.authenticator = SessionAuthenticator(sessionID: "old")
            let replicator = try Replicator(config: config)
            func run() async -> ReplicatorError? {
                await replicator.start()
                return await replicator.waitUntilStopped().error
            }
            #expect(await run() == nil)
            #expect(await run() == nil)
            let (given, kept) = ("SyncGatewaySession=old", "balancer=7; SyncGatewaySession=new")
            #expect(seen.cookies == [given, kept])
            isOver.set()
            #expect(await run() == nil)
            #expect(seen.cookies == [given, kept, kept, given])
            // Another replicator does not get them.
            #expect(try await pair.run(config).status.error == nil)
            #expect(seen.cookies.last == given)
        }
    }

    @Test("Cookies with an expiry are stored in the database, by host and user, until they expire")
    func keptCookies() async throws {
        let pair = try await ReplicationPair()
        let seen = RequestHeaders()
        var set = HTTPFields()
        for cookie in ["balancer=7; Max-Age=3600", "session=1", "gone=1; Max-Age=0", "SyncGatewaySession=new; Path=/db; Max-Age=60"] {
            set.append(HTTPField(name: .setCookie, value: cookie))
        }
        let mayLogin = Flag()
        mayLogin.set()
        @Sendable func server(_ headers: HTTPFields) -> WebServer {
            WebServer(
                answer: { headers in
                    seen.record(headers)
                    return mayLogin.isSet ? nil : Response(status: .unauthorized)
                }, headers: headers)
        }
        @Sendable func cookies(_ url: String, _ authenticator: (any Authenticator)? = nil) async throws -> String? {
            var config = ReplicatorConfiguration(database: pair.local.app, target: URLEndpoint(url: url))
            config.authenticator = authenticator
            _ = try await pair.run(config)
            return seen.cookies.last ?? nil
        }
        try await server(set).run(pair.remote) { url in
            #expect(try await cookies(url) == nil)
            // Another replicator, as after a restart.
            #expect(try await cookies(url) == "balancer=7; SyncGatewaySession=new")
            // Another user or another session does not get the cookie.
            #expect(try await cookies(url, BasicAuthenticator(username: "john", password: "pass")) == nil)
            #expect(try await cookies(url, BasicAuthenticator(username: "john", password: "pass")) == "balancer=7; SyncGatewaySession=new")
            #expect(try await cookies(url, SessionAuthenticator(sessionID: "mine")) == "SyncGatewaySession=mine; balancer=7")
            let kept = try await pair.here.localDocument(.replicator, id: "cookies localhost")?.body
            #expect(kept.map { String(decoding: $0, as: UTF8.self) }?.contains(#""session""#) == false)
        }
        // A server that accepts the stored cookies, and one that no longer knows them.
        var gone = HTTPFields()
        gone.append(HTTPField(name: .setCookie, value: "balancer=; Max-Age=0"))
        try await server(gone).run(pair.remote) { url in
            #expect(try await cookies(url) == "balancer=7; SyncGatewaySession=new")
            #expect(try await cookies(url) == "SyncGatewaySession=new")
            mayLogin.unset()
            _ = try await cookies(url)
            #expect(try await pair.here.localDocument(.replicator, id: "cookies localhost") == nil)
        }
    }

    private final class Flag: Sendable {
        private let value = Lock(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
        func unset() { value.withLock { $0 = false } }
    }

    @Test("ws: with a wss: server fails with 1006, as the guide says, and wss: with a self-signed certificate with 5011")
    func wrongScheme() async throws {
        let pair = try await ReplicationPair()
        try await WebServer(certificate: TestCertificates.selfSigned).run(pair.remote) { url in
            for (url, code) in [(url.replacingOccurrences(of: "wss:", with: "ws:"), 11_006), (url, 5_011)] {
                var config = ReplicatorConfiguration(database: pair.local.app, target: URLEndpoint(url: url))
                config.maxAttempts = 1
                let (status, _) = try await pair.run(config)
                #expect(status.error?.code.rawValue == code)
            }
        }
    }

    @Test("A collection that the server has removed takes the replicator offline, and stops it after the first retry with an error")
    func removedCollection() async throws {
        let pair = try await ReplicationPair()
        let ends = Ends()
        var config = ReplicatorConfiguration(
            target: MessageEndpoint(uid: "there") {
                let (ours, theirs) = await SocketEnd.pair()
                let found = ends.add(theirs) == 1 ? "[{}]" : "[null]"
                let server = ScriptedServer(theirs) { message in
                    switch message.profile {
                    case "getCollections": [.reply(to: message.number, body: Array(found.utf8))]
                    case "subChanges":
                        [
                            .reply(to: message.number),
                            .request("changes", properties: ["collection": "0"], body: Array("null".utf8), noReply: true),
                        ]
                    default: ScriptedServerTests.obliging(message)
                    }
                }
                Task { await server.run() }
                return ours
            })
        config.continuous = true
        let orders = try #require(pair.local.database.keyspace(CollectionName(scope: "sales", name: "orders")))
        config.addCollection(orders)
        let replicator = try pair.replicator(config)
        let statuses = await replicator.changes()
        await replicator.start()
        await replicator.wait { $0.activity == .idle }
        await ends.all.first?.drop()
        var seen: [ReplicatorActivityLevel] = []
        for await status in statuses where status.activity != seen.last {
            seen.append(status.activity)
            guard seen.count > 1, status.activity == .stopped else { continue }
            #expect(status.error?.code == .httpNotFound)
            break
        }
        #expect(seen.suffix(4) == [.idle, .offline, .connecting, .stopped])
        #expect(ends.all.count == 2)
    }

    private final class Ends: Sendable {
        private let ends = Lock<[SocketEnd]>([])
        var all: [SocketEnd] { ends.withLock { $0 } }

        func add(_ end: SocketEnd) -> Int {
            ends.withLock { ends in
                ends.append(end)
                return ends.count
            }
        }
    }
}
