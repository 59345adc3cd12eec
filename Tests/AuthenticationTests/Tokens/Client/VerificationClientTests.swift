import Access
import Coordination
import Crypto
import Foundation
import HTTPListener
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOSSL
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import Authentication

@Suite("Token logins: requests to verifiers")
struct VerificationClientTests {
    private static func get(_ url: String, _ query: String = "") throws -> VerificationRequest {
        .get(try VerificationEndpoint(configured: url).appending(query: [("q", query)]))
    }

    /// Withholds responses until it is opened.
    private final class Gate: Sendable {
        private let stream: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation
        let waiting = Lock(0)

        init() {
            (stream, continuation) = AsyncStream.makeStream()
        }

        func open() { continuation.finish() }

        func wait() async {
            waiting.withLock { $0 += 1 }
            for await _ in stream {}
        }

        /// Returns when this number of requests waits.
        func waitForWaiters(_ count: Int) async {
            await eventually { waiting.withLock({ $0 }) >= count }
        }
    }

    @Test("Concurrent equal requests are sent once and later ones again; a request that is valid once is not shared")
    func shared() async throws {
        let gate = Gate()
        try await FakeVerifier.run({ _ in
            await gate.wait()
            return json("{}")
        }) { server, url in
            try await withClient { client in
                let request = try Self.get(url, "same")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 { group.addTask { _ = try await client.send(request) } }
                    group.addTask { _ = try await client.send(try Self.get(url, "other")) }
                    await gate.waitForWaiters(2)
                    gate.open()
                    try await group.waitForAll()
                }
                // A request after the response is sent again, so two is the minimum.
                let asked = server.calls.count
                #expect((2..<21).contains(asked))
                _ = try await client.send(request)
                #expect(server.calls.count == asked + 1)
                let alone = VerificationRequest(endpoint: request.endpoint, form: nil, isShared: false)
                async let first = client.send(alone)
                async let second = client.send(alone)
                _ = try await (first, second)
                #expect(server.calls.count == asked + 3)
            }
        }
    }

    @Test("The numbers of running and waiting requests have limits, and further ones are refused")
    func bounded() async throws {
        let gate = Gate()
        var limits = patientLimits
        limits.concurrency = 2
        limits.waiting = 3
        try await FakeVerifier.run({ _ in
            await gate.wait()
            return json("{}")
        }) { server, url in
            try await withClient(limits) { client in
                await withTaskGroup(of: String.self) { group in
                    for index in 0..<10 {
                        group.addTask {
                            let error = await refusal { try await client.send(try Self.get(url, "\(index)")) }
                            return error.map { "\($0.code)" } ?? "answered"
                        }
                    }
                    for _ in 0..<5 {
                        let turnedAway = await group.next()
                        #expect(turnedAway == "unavailable")
                    }
                    await gate.waitForWaiters(2)
                    #expect(gate.waiting.withLock { $0 } == 2)
                    gate.open()
                    for await result in group { #expect(result == "answered") }
                }
                #expect(server.calls.count == 5)
            }
        }
    }

    @Test("A response that trickles is late, however often a byte arrives", .timeLimit(.minutes(2)))
    func trickle() async throws {
        var limits = patientLimits
        limits.timeout = .milliseconds(400)
        try await FakeVerifier.run({ _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    // Ends when the client disconnects, because the write fails.
                    while !Task.isCancelled {
                        try await writer.write(ByteBuffer(string: " "))
                        await Task.yield()
                    }
                    try await writer.finish(nil)
                })
        }) { _, url in
            let error = await refusal { try await withClient(limits) { try await $0.send(try Self.get(url)) } }
            #expect(error?.code == .unavailable)
        }
    }

    @Test("TLS is verified: an unknown authority is 503, and a configured one is accepted")
    func tls() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-tokens-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("verifier") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PrivateKey(key).publicKey,
            notValidBefore: Date(timeIntervalSinceNow: -60), notValidAfter: Date(timeIntervalSinceNow: 3600), issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames([.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1]))])
            },
            issuerPrivateKey: Certificate.PrivateKey(key))
        let pem = try certificate.serializeAsPEM().pemString
        let file = folder.appendingPathComponent("authority.pem")
        try Data(pem.utf8).write(to: file)
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)))
        try await FakeVerifier.run(tls: try ReloadableTLS(configuration), { _ in json("{}") }) { server, url in
            let error = await refusal { try await withClient { try await $0.send(try Self.get(url)) } }
            #expect(error?.code == .unavailable)
            #expect(server.calls.isEmpty)
            let response = try await withClient(authorityFile: file.path) { try await $0.send(try Self.get(url)) }
            #expect(response.status == 200)
        }
    }

    @Test("A host in another server's response is not contacted if its address is private, whatever its name")
    func privateAddress() async throws {
        try await FakeVerifier.run({ _ in json("{}") }) { server, url in
            let endpoint = VerificationEndpoint(url: url, host: "innocent.example.com", isSecure: false, isConfigured: false)
            let error = await refusal { try await withClient { try await $0.send(.get(endpoint)) } }
            #expect(error?.code == .unavailable)
            #expect(server.calls.isEmpty)
        }
    }

    @Test("A closed client refuses requests")
    func closed() async throws {
        let client = VerificationClient()
        await client.close()
        let error = await refusal { try await client.send(try Self.get("http://127.0.0.1:1")) }
        #expect(error?.code == .unavailable)
    }
}
