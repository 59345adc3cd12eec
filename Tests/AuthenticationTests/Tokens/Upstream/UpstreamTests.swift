import Access
import Coordination
import Documents
import Foundation
import HTTPTypes
import HummingbirdCore
import Testing

@testable import Authentication

private final class Counter: Sendable {
    private let count = Lock(0)

    func increment() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

@Suite("Token logins: the legacy upstream")
struct UpstreamTests {
    private let clock = SecondClock()
    private static let session =
        #"{"authentication_handlers":["default","cookie"],"ok":true,"userCtx":{"channels":{"!":1,"orders":7,"news":3},"name":"waldo"}}"#

    /// A Sync Gateway with one user and one session.
    @Sendable private static func gateway(_ call: FakeVerifier.Call) -> Response {
        let basic = "Basic \(Data("waldo:CANARY:pw".utf8).base64EncodedString())"
        guard call.path == "/shop/_session" else { return json(#"{"error":"not_found"}"#, 404) }
        if let header = call.headers[.authorization], header != basic {
            return json(#"{"error":"Unauthorized","reason":"Invalid login"}"#, 401)
        }
        let isKnown = call.headers[.authorization] == basic || call.headers[.cookie] == "SyncGatewaySession=CANARY-cookie"
        return json(isKnown ? session : #"{"ok":true,"userCtx":{"channels":{"!":1},"name":null}}"#)
    }

    private func verifier(_ url: String, _ client: VerificationClient, _ change: (inout UpstreamConfiguration) -> Void = { _ in }) throws
        -> UpstreamVerifier
    {
        var configuration = UpstreamConfiguration(database: try VerificationEndpoint(configured: "\(url)/shop", plainHTTP: .anywhere))
        change(&configuration)
        return UpstreamVerifier(configuration, client: client, clock: clock.clock)
    }

    private func basic(_ user: String, _ password: String, from address: String = "192.0.2.1") -> UpstreamLogin {
        UpstreamLogin(.basic(user: user, password: Secret(password)), from: address)
    }

    @Test("A password of the upstream is accepted here, with the user's channels")
    func password() async throws {
        try await FakeVerifier.run(Self.gateway) { _, url in
            let identity = try await withClient { try await verifier(url, $0).verify(basic("waldo", "CANARY:pw")) }
            #expect(identity.userName.text == "waldo" && identity.channels == ["orders", "news"] && identity.mayRegister)
            #expect(identity.password?.revealed == "CANARY:pw")
            #expect(!"\(identity)".contains("CANARY") && !String(reflecting: identity).contains("CANARY"))
            var dumped = ""
            dump(identity, to: &dumped)
            #expect(!dumped.contains("CANARY"))
        }
    }

    @Test("Roles come from a login that may request them; without one there are none, and a failure is no login")
    func membership() async throws {
        let answer =
            #"{"name":"waldo","all_channels":["!","*","orders","news","staff"],"admin_roles":["staff"],"roles":["staff","byDocument"]}"#
        try await FakeVerifier.run(Self.gateway) { (_, url) async throws in
            try await withClient { (client) async throws in
                let configuration = UpstreamConfiguration(
                    database: try VerificationEndpoint(configured: "\(url)/shop", plainHTTP: .anywhere))
                func verify(_ membership: @escaping UpstreamMembership.Source) async throws -> VerifiedIdentity {
                    try await UpstreamVerifier(configuration, client: client, membership: membership, clock: clock.clock)
                        .verify(basic("waldo", "CANARY:pw"))
                }
                let json = try JSONValue(Array(answer.utf8))
                #expect(UpstreamMembership(json, of: "somebody") == nil)
                let told = try await verify { user in UpstreamMembership(json, of: user) }
                #expect(told.roles == ["staff"] && told.roleChannels == ["staff"] && told.channels == ["orders", "news"])
                let untold = try await verify { _ in nil }
                #expect(untold.roles == [] && untold.roleChannels == [])
                let error = await refusal { try await verify { _ throws(LoginError) in throw LoginError(.unavailable, "later") } }
                #expect(error?.code == .unavailable)
            }
        }
    }

    @Test("A session of the upstream is a login, without a password")
    func cookie() async throws {
        try await FakeVerifier.run(Self.gateway) { server, url in
            try await withClient { client in
                let verifier = try verifier(url, client)
                let identity = try await verifier.verify(UpstreamLogin(.cookie(Secret("CANARY-cookie")), from: "a"))
                #expect(identity.userName.text == "waldo" && identity.password == nil)
                for value in ["other", "", "a;b", "a b", "a\r\nX: y", #"a"b"#] {
                    let error = await refusal { try await verifier.verify(UpstreamLogin(.cookie(Secret(value)), from: "a")) }
                    #expect(error?.code == .refused)
                }
                #expect(server.calls.count == 2)
            }
        }
    }

    @Test("A refusal is cached for a while, so that a client's retries are not forwarded")
    func refused() async throws {
        try await FakeVerifier.run(Self.gateway) { server, url in
            try await withClient { client in
                let verifier = try verifier(url, client)
                for _ in 0..<5 {
                    let error = await refusal { try await verifier.verify(basic("waldo", "CANARY-wrong")) }
                    #expect(error?.code == .refused)
                    #expect(error.map { "\($0)".contains("CANARY") } == false)
                }
                #expect(server.calls.count == 1)
                _ = try await verifier.verify(basic("waldo", "CANARY:pw"))
                clock.advance(61)
                #expect(await refusal { try await verifier.verify(basic("waldo", "CANARY-wrong")) } != nil)
                #expect(server.calls.count == 3)
            }
        }
    }

    @Test("A guest's session, another user's session and an invalid name are no login")
    func nobody() async throws {
        for name in ["null", #""Waldo""#, #""waldo ""#, "\"\"", "7", #""a/b""#] {
            try await FakeVerifier.run({ _ in json(#"{"userCtx":{"name":\#(name),"channels":{}}}"#) }) { _, url in
                let error = await refusal { try await withClient { try await verifier(url, $0).verify(basic("waldo", "pw")) } }
                #expect(error?.code == .refused)
            }
        }
        try await FakeVerifier.run(Self.gateway) { server, url in
            for user in ["", "a:b", "a b", "a/b"] {
                let error = await refusal { try await withClient { try await verifier(url, $0).verify(basic(user, "pw")) } }
                #expect(error?.code == .refused)
            }
            #expect(server.calls.isEmpty)
        }
    }

    @Test(
        "A CouchDB's session is at its root, and counts only for users who may read the database", arguments: [200, 401, 403, 404, 503])
    func couchDB(status: Int) async throws {
        try await FakeVerifier.run({ call in
            switch call.path {
            case "/_session": json(#"{"ok":true,"userCtx":{"name":"waldo","roles":["sales"]}}"#)
            case "/shop": call.headers[.authorization] == nil ? json("{}", 401) : json(#"{"db_name":"shop"}"#, status)
            default: json("{}", 404)
            }
        }) { _, url in
            try await withClient { client in
                let verifier = try verifier(url, client)
                guard status == 200 else {
                    let error = await refusal { try await verifier.verify(basic("waldo", "pw")) }
                    #expect(error?.code == (status == 503 ? .unavailable : .refused))
                    return
                }
                let identity = try await verifier.verify(basic("waldo", "pw"))
                #expect(identity.roles == ["sales"] && identity.channels == [] && identity.readsAll)
            }
        }
    }

    @Test("Attempts are limited by user, by address and in total")
    func rates() async throws {
        try await FakeVerifier.run(Self.gateway) { server, url in
            try await withClient { client in
                let verifier = try verifier(url, client) {
                    $0.rates.user = 3
                    $0.rates.address = 5
                    $0.rates.total = 8
                }
                func code(_ user: String, _ address: String, _ index: Int) async -> LoginError.Code? {
                    await refusal { try await verifier.verify(basic(user, "wrong-\(index)", from: address)) }?.code
                }
                for index in 0..<3 { #expect(await code("a", "1", index) == .refused) }
                #expect(await code("a", "2", 3) == .unavailable)
                for index in 0..<2 { #expect(await code("b", "1", index) == .refused) }
                #expect(await code("c", "1", 0) == .unavailable)
                for index in 0..<3 { #expect(await code("d", "3", index) == .refused) }
                #expect(await code("e", "4", 0) == .unavailable)
                #expect(server.calls.count == 8)
                clock.advance(60)
                #expect(await code("e", "4", 0) == .refused)
            }
        }
    }

    @Test("Requests that a client sends side by side are one attempt")
    func sideBySide() async throws {
        let gate = FlowGate()
        let begun = Counter()
        gate.close()
        try await FakeVerifier.run({ call in
            try? await gate.pass()
            return Self.gateway(call)
        }) { server, url in
            try await withClient { client in
                let (verifier, login) = (try verifier(url, client), basic("waldo", "CANARY:pw"))
                let names = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<100 {
                        group.addTask {
                            if begun.increment() == 100 { gate.open() }
                            return try await verifier.verify(login).userName.text
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(names.count == 100 && Set(names) == ["waldo"])
                // A request after the end of the first attempt is another one.
                #expect(server.calls.count < 10)
            }
        }
    }

    @Test("A misbehaving upstream is 503 and no login", arguments: Misbehaviour.allCases)
    func misbehaving(_ misbehaviour: Misbehaviour) async throws {
        var limits = patientLimits
        if misbehaviour == .slow { limits.timeout = .milliseconds(300) }
        try await FakeVerifier.run({ _ in await misbehaviour.answer(Self.session) }) { server, url in
            let error = await refusal { try await withClient(limits) { try await verifier(url, $0).verify(basic("waldo", "CANARY")) } }
            #expect(error?.code == .unavailable)
            #expect(error.map { "\($0)".contains("CANARY") } == false)
            #expect(server.count("/elsewhere") == 0)
        }
    }

    @Test("Responses without a user context, or with too much data, are refused")
    func incomplete() throws {
        let many = (0...10_000).map { #""c\#($0)":1"# }.joined(separator: ",")
        for text in [
            "{}", #"{"userCtx":7}"#, #"{"userCtx":{"name":"u","channels":{"":1}}}"#, #"{"userCtx":{"name":"u","channels":{\#(many)}}}"#,
        ] {
            #expect(throws: LoginError.self) { try UpstreamSession(try JSONValue(Array(text.utf8))) }
        }
    }

    @Test("The limits' own memory is limited")
    func memory() {
        var rate = LoginRate<Int>(perMinute: 1)
        let allowed = (0..<50_000).count { rate.allows($0, now: 0) }
        #expect(allowed == 50_000)
        let overflow = rate.allows(50_000, now: 0)
        #expect(!overflow)
        let later = rate.allows(50_000, now: 61)
        #expect(later)
        var refusals = RefusalCache(lifetime: 10)
        for key in 0...RefusalCache.maximumCount { refusals.insert([UInt8(key & 255), UInt8(key >> 8)], now: 0) }
        #expect(refusals.contains([UInt8(RefusalCache.maximumCount & 255), UInt8(RefusalCache.maximumCount >> 8)], now: 9))
        #expect(!refusals.contains([UInt8(RefusalCache.maximumCount & 255), UInt8(RefusalCache.maximumCount >> 8)], now: 10))
    }
}
