import Documents
import Foundation
import HTTP
import HTTPTypes
import HummingbirdCore
import Logging
import ModernTestSupport
import NIOCore
import NIOSSL
import TestSupport
import Testing

@testable import ModernClient

@Suite("Replication with a server by its URL", .timeLimit(.minutes(2)))
struct URLEndpointTests {
    /// Pulls once, and returns the result.
    private func pull(
        _ pair: ReplicationPair, _ url: String, _ change: (inout ReplicatorConfiguration) -> Void
    ) async throws -> ReplicatorError? {
        var configuration = ReplicatorConfiguration(target: URLEndpoint(url: url))
        configuration.replicatorType = .pull
        configuration.maxAttempts = 1
        configuration.addCollection(pair.here)
        change(&configuration)
        return try await pair.run(configuration).status.error
    }

    private static func pin(_ certificate: TestCertificates.PEM) -> ServerCertificatePolicy { .pinned(Array(certificate.certificate.utf8)) }

    @Test(
        "A server is trusted by the policy, and an untrusted one has its code",
        arguments: [
            // Only the system's authorities count, and none of them has signed a test's certificate.
            (TestCertificates.first, ServerCertificatePolicy.system, 5_011), (TestCertificates.selfSigned, .system, 5_011),
            (TestCertificates.expired, .system, 5_007), (TestCertificates.selfSigned, .selfSignedOnly, 0),
            (TestCertificates.first, .selfSignedOnly, 5_008), (TestCertificates.first, pin(TestCertificates.first), 0),
            (TestCertificates.selfSigned, pin(TestCertificates.selfSigned), 0),
            (TestCertificates.expired, pin(TestCertificates.expired), 0),
            (TestCertificates.elsewhere, pin(TestCertificates.elsewhere), 0),
            (TestCertificates.first, pin(TestCertificates.second), 5_008),
        ])
    func trust(_ certificate: TestCertificates.PEM, _ policy: ServerCertificatePolicy, _ code: Int) async throws {
        let pair = try await ReplicationPair()
        try await pair.there.put("doc", "{}")
        try await WebServer(certificate: certificate).run(pair.remote) { url in
            let error = try await pull(pair, url) { $0.serverCertificatePolicy = policy }
            #expect(error?.code.rawValue ?? 0 == code)
            // It is a permanent error.
            #expect(error?.isTransient != true && error?.isNetworkDependent != true)
        }
        #expect(try await pair.here.state().count == (code == 0 ? 1 : 0))
    }

    @Test("Trust on first use pins the server's certificate")
    func firstUse() async throws {
        let pair = try await ReplicationPair()
        try await WebServer(certificate: TestCertificates.selfSigned).run(pair.remote) { url in
            var configuration = ReplicatorConfiguration(target: URLEndpoint(url: url))
            configuration.replicatorType = .pull
            configuration.addCollection(pair.here)
            configuration.acceptOnlySelfSignedServerCertificate = true
            let replicator = try Replicator(configuration: configuration)
            #expect(await replicator.serverCertificate == nil)
            await replicator.start()
            #expect(await replicator.waitUntilStopped().error == nil)
            let shown = try #require(await replicator.serverCertificate)
            #expect(shown == (try NIOSSLCertificate(bytes: Array(TestCertificates.selfSigned.certificate.utf8), format: .pem).toDERBytes()))
            #expect(try await pull(pair, url) { $0.pinnedServerCertificate = shown } == nil)
        }
    }

    @Test("A client presents its certificate; without one, or with an unknown one, it gets the error")
    func identity() async throws {
        let pair = try await ReplicationPair()
        try await pair.there.put("doc", "{}")
        let server = WebServer(certificate: TestCertificates.first, clientAuthority: TestCertificates.authority)
        try await server.run(pair.remote) { url in
            for (shown, code) in [(nil, 5_009), (TestCertificates.stranger, 5_010), (TestCertificates.client, 0)] {
                let error = try await pull(pair, url) {
                    $0.serverCertificatePolicy = Self.pin(TestCertificates.first)
                    $0.authenticator = shown.map {
                        ClientCertificateAuthenticator(certificateChain: Array($0.certificate.utf8), privateKey: Array($0.key.utf8))
                    }
                }
                #expect(error?.code.rawValue ?? 0 == code)
            }
        }
        #expect(try await pair.here.state().count == 1)
        let unreadable = try await pull(pair, "wss://localhost:1/db") {
            $0.authenticator = ClientCertificateAuthenticator(certificateChain: [1], privateKey: [2])
        }
        #expect(unreadable?.code == .crypto)
    }

    @Test("Every TLS and network error has LiteCore's code")
    func codes() {
        func code(_ code: WebSocketError.Code, _ fault: TLSFault? = nil) -> Int {
            ReplicatorError(connecting: WebSocketError(code, reason: "", tlsFault: fault), to: "wss://h/db").code.rawValue
        }
        #expect(code(.lookupFailed) == 5_001 && code(.unknownHost) == 5_002 && code(.timeout) == 5_003 && code(.invalidURL) == 5_004)
        #expect(code(.unknownInterface) == 5_027 && code(.notWebSocket) == 11_002 && code(.closed) == 11_006)
        #expect(code(.untrusted) == 5_006 && code(.untrusted, .handshake) == 5_006 && code(.untrusted, .expired) == 5_007)
        #expect(code(.untrusted, .pinMismatch) == 5_008 && code(.untrusted, .clientCertificateRequired) == 5_009)
        #expect(code(.untrusted, .clientCertificateRejected) == 5_010 && code(.untrusted, .unknownAuthority) == 5_011)
        #expect(code(.untrusted, .nameMismatch) == 5_015)
        let numbers: [(Int32, Int)] = [
            (ENETRESET, 16), (ECONNABORTED, 17), (ECONNRESET, 18), (ECONNREFUSED, 19), (ENETDOWN, 20), (ENETUNREACH, 21), (ENOTCONN, 22),
            (EHOSTDOWN, 23), (EHOSTUNREACH, 24), (EADDRNOTAVAIL, 25), (EPIPE, 26), (ETIMEDOUT, 3),
        ]
        for (number, expected) in numbers {
            #expect(ReplicatorError.Code(systemError: number)?.rawValue == 5_000 + expected)
        }
        #expect(ReplicatorError.Code(systemError: 0) == nil)
        let transient = [1, 3, 16, 17, 18, 19]
        for number in 1...27 {
            let error = ReplicatorError(.network(number), "")
            #expect(error.isTransient == transient.contains(number))
            #expect(error.isNetworkDependent == ([2] + Array(20...27)).contains(number))
        }
    }

    @Test("An unknown host, an unused port and an unknown interface have LiteCore's codes")
    func unreachable() async throws {
        let pair = try await ReplicationPair()
        let lost = try await pull(pair, "ws://no-such-host.invalid:4984/db") { _ in }
        // The code depends on whether this machine reaches a name server.
        #expect(lost?.code == .unknownHost || lost?.code == .dnsFailure)
        #expect(try await pull(pair, "ws://127.0.0.1:1/db") { _ in }?.code == .connectionRefused)
        #expect(try await pull(pair, "ws://127.0.0.1:1/db") { $0.networkInterface = "none0" }?.code == .unknownInterface)
    }

    @Test("A name server that does not respond is retried, an unknown name only by a continuous replication", arguments: [true, false])
    func lookups(_ continuous: Bool) async throws {
        let pair = try await ReplicationPair()
        for (code, isRetried) in [(WebSocketError.Code.lookupFailed, true), (.unknownHost, continuous)] {
            var configuration = ReplicatorConfiguration(
                target: BrokenEndpoint(error: ReplicatorError(connecting: WebSocketError(code, reason: ""), to: "ws://h/db")))
            configuration.continuous = continuous
            configuration.maxAttempts = 3
            configuration.addCollection(pair.here)
            let clock = StillClock()
            let replicator = try pair.replicator(configuration, clock: clock)
            await replicator.start()
            #expect(await replicator.waitUntilStopped().error?.code == (code == .unknownHost ? .unknownHost : .dnsFailure))
            #expect(clock.waits.all == (isRetried ? [.seconds(2), .seconds(4)] : []))
        }
    }

    private struct BrokenEndpoint: ReplicatorEndpoint {
        let error: ReplicatorError
        var identity: String { "ws://h/db" }
        func connect(_ options: ConnectionOptions) async throws -> ReplicatorConnection { throw error }
    }

    @Test("A wrong password leads from connecting to stopped with 401, without a retry, continuous or not", arguments: [true, false])
    func wrongPassword(_ continuous: Bool) async throws {
        let pair = try await ReplicationPair()
        let server = WebServer(
            refusal: Response(
                status: .unauthorized, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: .init(string: #"{"error":"Unauthorized","reason":"Invalid login"}"#))))
        try await server.run(pair.remote) { url in
            var configuration = ReplicatorConfiguration(target: URLEndpoint(url: url))
            configuration.continuous = continuous
            configuration.authenticator = BasicAuthenticator(username: "bob", password: "wrong")
            configuration.addCollection(pair.here)
            let clock = StillClock()
            let replicator = try pair.replicator(configuration, clock: clock)
            let changes = await replicator.changes()
            await replicator.start()
            var seen: [ReplicatorActivityLevel] = []
            for await status in changes {
                seen.append(status.activity)
                guard seen.count > 1, status.activity == .stopped else { continue }
                #expect(status.error?.code == .unauthorized)
                #expect(status.error?.message.contains("Invalid login") == true)
                #expect(status.error?.description.contains("wrong") == false)
                break
            }
            #expect(seen == [.stopped, .connecting, .stopped])
            #expect(clock.waits.all.isEmpty)
        }
    }
}
