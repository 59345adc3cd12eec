import Crypto
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOSSL
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import HTTP
@testable import HTTPListener

@Suite("TLS", .timeLimit(.minutes(5)))
struct TLSTests {
    private func trusting(_ pem: TestCertificates.PEM, identity: ClientTLS.Identity? = nil) throws -> ClientTLS {
        ClientTLS(trust: .authorities([try pem.parsed]), identity: identity)
    }

    private func get(_ port: Int, _ tls: ClientTLS) async throws -> String {
        let client = try await RawClient.connect(port: port, tls: tls)
        // A refused client may get the error before this arrives.
        try? await client.send("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return try await client.readToEnd()
    }

    /// Sends the client's data that the route gets.
    @Sendable private static func who(_ request: Request, _ info: RequestInfo) async -> Response {
        let certificate = try? info.peerCertificate.map { try $0.toDERBytes().count } ?? 0
        return plain("\(info.isSecure) \(certificate ?? -1)")
    }

    @Test("A request over TLS gets a response")
    func exchange() async throws {
        try await withServer(limits: quickLimits, tls: ReloadableTLS(TestCertificates.first.server()), handler: Self.who) { port, _ in
            let trusted = try trusting(TestCertificates.authority)
            #expect(try await get(port, trusted).hasSuffix("\r\n\r\ntrue 0"))
        }
    }

    @Test(
        "A request after a declined upgrade gets its response over TLS, too",
        arguments: ["h2c\r\nX: y", "websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="])
    func refusedUpgrade(_ upgrade: String) async throws {
        try await withServer(limits: quickLimits, tls: ReloadableTLS(TestCertificates.first.server()), handler: describe) { port, _ in
            let client = try await RawClient.connect(port: port, tls: trusting(TestCertificates.authority))
            try await client.send(
                "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: \(upgrade)\r\n\r\n"
                    + "GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(try await client.readToEnd().hasSuffix("GET /2 "))
        }
    }

    @Test("A body over the limit gets its 413 over TLS, too")
    func tooLarge() async throws {
        try await withServer(limits: quickLimits, tls: ReloadableTLS(TestCertificates.first.server()), handler: describe) { port, _ in
            let client = try await RawClient.connect(port: port, tls: trusting(TestCertificates.authority))
            try await client.send(
                "PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n" + String(repeating: "x", count: 1_000_000))
            #expect(try await client.readToEnd().hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test("New settings apply to new connections, old connections continue, and invalid settings change nothing")
    func reload() async throws {
        let tls = try ReloadableTLS(TestCertificates.first.server())
        try await withServer(limits: quickLimits, tls: tls, handler: Self.who) { port, _ in
            let first = ClientTLS(trust: .pinned(try TestCertificates.first.parsed))
            let second = ClientTLS(trust: .pinned(try TestCertificates.second.parsed))
            let old = try await RawClient.connect(port: port, tls: first)
            try await old.send("GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try await old.read(until: "true 0")
            #expect(throws: (any Error).self) {
                let mixed = TestCertificates.PEM(
                    certificate: TestCertificates.second.certificate, key: TestCertificates.first.key)
                try tls.reload(mixed.server())
            }
            #expect(try await get(port, first).hasSuffix("true 0"))
            try tls.reload(TestCertificates.second.server())
            #expect(try await get(port, second).hasSuffix("true 0"))
            #expect(try await get(port, first) == "")
            try await old.send("GET /2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(try await old.readToEnd().hasSuffix("true 0"))
        }
    }

    @Test("A client's certificate reaches the route, and an unknown one is refused", arguments: [true, false])
    func clientCertificates(isRequired: Bool) async throws {
        let tls = try ReloadableTLS(TestCertificates.first.server(clientAuthority: TestCertificates.authority, isRequired: isRequired))
        try await withServer(limits: quickLimits, tls: tls, handler: Self.who) { port, _ in
            let known = try trusting(TestCertificates.authority, identity: TestCertificates.client.identity)
            let size = try TestCertificates.client.parsed.toDERBytes().count
            #expect(try await get(port, known).hasSuffix("true \(size)"))
            let stranger = try trusting(TestCertificates.authority, identity: TestCertificates.stranger.identity)
            #expect(try await get(port, stranger) == "")
            let nobody = try await get(port, trusting(TestCertificates.authority))
            #expect(isRequired ? nobody == "" : nobody.hasSuffix("true 0"))
        }
    }

    @Test("A client that does not finish its handshake is dropped")
    func slowHandshake() async throws {
        var limits = quickLimits
        limits.headTimeout = .seconds(1)
        try await withServer(limits: limits, tls: ReloadableTLS(TestCertificates.first.server()), handler: describe) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send([0x16, 3, 1])
            #expect(try await client.readToEnd() == "")
        }
    }

    @Test("Plain HTTP at a TLS port ends the connection")
    func plainAtTLS() async throws {
        try await withServer(limits: quickLimits, tls: ReloadableTLS(TestCertificates.first.server()), handler: describe) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(!(try await client.readToEnd()).contains("HTTP/1.1 200"))
        }
    }

    @Test("Clients with old TLS versions are served only if the settings allow it")
    func oldVersions() async throws {
        for minimum in [TLSVersion.tlsv1, .tlsv12] {
            var configuration = try TestCertificates.first.server()
            configuration.minimumTLSVersion = minimum
            try await withServer(limits: quickLimits, tls: ReloadableTLS(configuration), handler: Self.who) { port, _ in
                for version in [TLSVersion.tlsv1, .tlsv12] {
                    let client = try await RawClient.connect(port: port, tls: trusting(TestCertificates.authority), version: version)
                    try? await client.send("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    let isServed = minimum == .tlsv1 || version == .tlsv12
                    #expect(try await client.readToEnd().hasSuffix("true 0") == isServed)
                }
            }
        }
    }

    @Test("Settings are read from PEM files")
    func files() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ content: String) throws -> String {
            let url = folder.appendingPathComponent(name)
            try content.write(to: url, atomically: true, encoding: .utf8)
            return url.path
        }
        let certificate = try file("cert.pem", TestCertificates.first.certificate)
        let key = try file("key.pem", TestCertificates.first.key)
        let authority = try file("ca.pem", TestCertificates.authority.certificate)
        for mode in [TLSConfiguration.ClientCertificates.ignored, .optional(authorityFile: authority), .required(authorityFile: authority)]
        {
            let tls = try ReloadableTLS(.server(certificateFile: certificate, keyFile: key, clientCertificates: mode))
            try await withServer(limits: quickLimits, tls: tls, handler: Self.who) { port, _ in
                let known = try trusting(TestCertificates.authority, identity: TestCertificates.client.identity)
                #expect(try await get(port, known).contains("\r\n\r\ntrue "))
            }
        }
        #expect(throws: (any Error).self) { try TLSConfiguration.server(certificateFile: key, keyFile: certificate) }
    }

    @Test("Self-signed certificates are distinguished from others, and malformed data from certificates")
    func selfIssued() throws {
        #expect(SelfSignature.isValid(try TestCertificates.selfSigned.parsed.toDERBytes()))
        #expect(SelfSignature.isValid(try TestCertificates.authority.parsed.toDERBytes()))
        let signed = try TestCertificates.first.parsed.toDERBytes()
        #expect(!SelfSignature.isValid(signed))
        let own = try TestCertificates.selfSigned.parsed.toDERBytes()
        for count in 0..<120 { #expect(!SelfSignature.isValid(Array(own.prefix(count)))) }
        #expect(!SelfSignature.isValid([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]))
        // Names alone prove nothing: this one is signed by another key than its own.
        let name = try DistinguishedName { CommonName("server") }
        let (shown, signer) = (Certificate.PrivateKey(P256.Signing.PrivateKey()), Certificate.PrivateKey(P256.Signing.PrivateKey()))
        for (key, isValid) in [(shown, true), (signer, false)] {
            let certificate = try Certificate(
                version: .v3, serialNumber: .init(), publicKey: shown.publicKey, notValidBefore: .now, notValidAfter: .now + 60,
                issuer: name,
                subject: name, signatureAlgorithm: .ecdsaWithSHA256, extensions: .init(), issuerPrivateKey: key)
            #expect(SelfSignature.isValid(try certificate.serializeAsPEM().derBytes) == isValid)
        }
    }
}
