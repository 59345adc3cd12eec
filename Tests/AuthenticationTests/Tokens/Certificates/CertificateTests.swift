import Access
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import Authentication

@Suite("Token logins: client certificates")
struct CertificateTests {
    private let clock = SecondClock()

    private func fields(_ change: (inout CertificateFields) -> Void = { _ in }) -> CertificateFields {
        var fields = CertificateFields(validFrom: clock.now - 10, validTo: clock.now + 10)
        fields.commonNames = ["waldo"]
        fields.emails = ["waldo@example.com"]
        fields.dnsNames = ["a.example.com", "b.example.com"]
        fields.uris = ["urn:user:waldo"]
        change(&fields)
        return fields
    }

    private func name(_ fields: CertificateFields, _ change: (inout ClientCertificateConfiguration) -> Void = { _ in }) -> String? {
        var configuration = ClientCertificateConfiguration()
        change(&configuration)
        return try? ClientCertificateVerifier(configuration, clock: clock.clock).identity(of: fields).userName.text
    }

    @Test("The configured field names the user")
    func fieldNames() {
        #expect(name(fields()) == "waldo")
        #expect(name(fields()) { $0.field = .email } == "waldo@example.com")
        #expect(
            name(fields()) {
                $0.field = .email
                $0.suffix = "@example.com"
            } == "waldo")
        #expect(
            name(fields()) {
                $0.field = .uri
                $0.prefix = "urn:user:"
            } == "waldo")
        #expect(name(fields()) { $0.prefix = "user-" } == nil)
        #expect(
            name(fields { $0.commonNames = ["ab"] }) {
                $0.prefix = "ab"
                $0.suffix = "b"
            } == nil)
    }

    @Test("Several fields, none, or invalid names are no login")
    func ambiguous() {
        #expect(name(fields()) { $0.field = .dns } == nil)
        for names in [[], ["a", "b"], [""], ["a b"], ["a/b"], ["a\u{0}"], ["waldo\n"]] {
            #expect(name(fields { $0.commonNames = names }) == nil)
        }
    }

    @Test("An expired certificate, one that is not yet valid, and one that is not for clients are no login")
    func validity() {
        #expect(name(fields { $0.validTo = clock.now }) == nil)
        #expect(name(fields { $0.validFrom = clock.now + 1 }) == nil)
        #expect(name(fields { $0.isForClients = false }) == nil)
    }

    @Test("A certificate's fields are read from its DER")
    func der() async throws {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        func certificate(_ purposes: [ExtendedKeyUsage.Usage]) throws -> [UInt8] {
            let name = try DistinguishedName { CommonName("waldo") }
            let certificate = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
                notValidBefore: Date(timeIntervalSince1970: Double(clock.now - 10)),
                notValidAfter: Date(timeIntervalSince1970: Double(clock.now + 10)),
                issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Certificate.Extensions {
                    try ExtendedKeyUsage(purposes)
                    SubjectAlternativeNames([
                        .dnsName("a.example.com"), .rfc822Name("waldo@example.com"), .uniformResourceIdentifier("urn:user:waldo"),
                    ])
                },
                issuerPrivateKey: key)
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
        let verifier = ClientCertificateVerifier(ClientCertificateConfiguration(), clock: clock.clock)
        let identity = try await verifier.verify(try certificate([.clientAuth]))
        #expect(identity.userName.text == "waldo" && identity.email == "waldo@example.com" && identity.expires == clock.now + 10)
        let read = try CertificateFields(der: try certificate([.clientAuth]))
        #expect(read.uris == ["urn:user:waldo"] && read.dnsNames == ["a.example.com"] && read.validFrom == clock.now - 10)
        let server = await refusal { try await verifier.verify(try certificate([.serverAuth])) }
        #expect(server?.code == .refused)
        for bytes in [[], [0x30], [UInt8](repeating: 0x30, count: 64)] as [[UInt8]] {
            let error = await refusal { try await verifier.verify(bytes) }
            #expect(error?.code == .malformed)
        }
    }
}
