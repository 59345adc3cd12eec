import HTTP
import HTTPListener
import LegacyTestSupport
import NIOSSL
import TestSupport
import Testing

@testable import LegacyClient

@Suite("1.x replication over TLS", .timeLimit(.minutes(5)))
struct TrustTests {
    private static func identity(_ pem: TestCertificates.PEM) -> ReplicationIdentity {
        ReplicationIdentity(certificateChain: Array(pem.certificate.utf8), privateKey: Array(pem.key.utf8))
    }

    /// A database with one document behind a server with this certificate.
    private func serve(_ pem: TestCertificates.PEM, clientAuthority: TestCertificates.PEM? = nil) async throws -> ReplicationFixture {
        let identity = try ClientTLS.Identity(chain: Array(pem.certificate.utf8), key: Array(pem.key.utf8))
        var settings = TLSConfiguration.makeServerConfiguration(
            certificateChain: identity.certificates.map { .certificate($0) }, privateKey: .privateKey(identity.key))
        if let clientAuthority {
            settings.certificateVerification = .noHostnameVerification
            settings.trustRoots = .certificates(try ClientTLS.certificates(Array(clientAuthority.certificate.utf8)))
        }
        let fixture = try await ReplicationFixture(tls: ReloadableTLS(settings))
        try await fixture.there.bridge.push(#"{"_id":"a","_rev":"1-a"}"#)
        return fixture
    }

    private func isPulled(_ fixture: ReplicationFixture, _ change: (Replication) -> Void) async throws -> Bool {
        let pull = try await fixture.run(.pull, change)
        if let error = pull.lastError {
            #expect(error.code == .untrusted && error.remedy == .change, "\(error)")
            #expect(fixture.there.entries.isEmpty, "nothing is sent to a server that is not trusted")
        }
        return try await fixture.isEqual()
    }

    @Test("Only the server with the pinned certificate is trusted, whatever its name")
    func pinned() async throws {
        let fixture = try await serve(TestCertificates.first)
        #expect(try await !isPulled(fixture) { $0.pinnedServerCertificate = Array(TestCertificates.second.certificate.utf8) })
        // The authority that signed it is another certificate.
        #expect(try await !isPulled(fixture) { $0.pinnedServerCertificate = Array(TestCertificates.authority.certificate.utf8) })
        #expect(try await isPulled(fixture) { $0.pinnedServerCertificate = Array(TestCertificates.first.certificate.utf8) })
        await fixture.there.close()
    }

    @Test("A continuous pull over a WebSocket applies the same trust")
    func webSocket() async throws {
        let fixture = try await serve(TestCertificates.first)
        let pull = try fixture.replication(.pull)
        pull.continuous = true
        pull.pinnedServerCertificate = Array(TestCertificates.first.certificate.utf8)
        pull.start()
        await pull.wait { $0.status == .idle }
        try await fixture.there.bridge.push(#"{"_id":"b","_rev":"1-b"}"#)
        try await fixture.waitUntilEqual()
        pull.stop()
        await pull.waitUntilStopped()
        #expect(pull.lastError == nil)
        // Idle comes after the normal feed and before the WebSocket is open: only later rows prove the trust.
        #expect(fixture.there.entries.contains { $0.path.contains("feed=websocket") })
        await fixture.there.close()
    }

    @Test("Trust can be limited to self-signed certificates or to the system's authorities")
    func selfSigned() async throws {
        let own = try await serve(TestCertificates.selfSigned)
        #expect(try await !isPulled(own) { _ in })
        #expect(try await isPulled(own) { $0.selfSignedServersOnly = true })
        await own.there.close()
        let signed = try await serve(TestCertificates.first)
        #expect(try await !isPulled(signed) { $0.selfSignedServersOnly = true })
        #expect(try await !isPulled(signed) { _ in })
        await signed.there.close()
    }

    @Test("A client certificate is presented to the server")
    func identity() async throws {
        let fixture = try await serve(TestCertificates.first, clientAuthority: TestCertificates.authority)
        let trusted = Array(TestCertificates.first.certificate.utf8)
        let stranger = try await fixture.run(.pull) {
            $0.pinnedServerCertificate = trusted
            $0.clientIdentity = Self.identity(TestCertificates.stranger)
        }
        #expect(stranger.lastError != nil && fixture.there.entries.isEmpty)
        #expect(
            try await isPulled(fixture) {
                $0.pinnedServerCertificate = trusted
                $0.clientIdentity = Self.identity(TestCertificates.client)
            })
        await fixture.there.close()
    }

    @Test("Unreadable certificates and keys are named in the error, which never contains a key")
    func unreadable() async throws {
        let fixture = try await ReplicationFixture()
        let pinned = try await fixture.run(.pull) { $0.pinnedServerCertificate = Array("-----BEGIN nothing".utf8) }
        #expect(pinned.lastError?.code == .untrusted && pinned.lastError?.description.contains("pinned") == true)
        let identity = ReplicationIdentity(certificateChain: [1], privateKey: Array("s3cret".utf8))
        let shown = try await fixture.run(.pull) { $0.clientIdentity = identity }
        #expect(shown.lastError?.code == .untrusted && shown.lastError?.description.contains("client certificate") == true)
        #expect(!"\(identity)\(String(reflecting: identity))".contains("s3cret"))
        await fixture.there.close()
    }
}
