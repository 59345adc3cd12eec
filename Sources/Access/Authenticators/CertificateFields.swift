import Foundation
import SwiftASN1
import X509

/// What a user can be known by in a certificate (X.509, RFC 5280). Says nothing about whether it is to be trusted: the TLS handshake has seen to that.
public struct CertificateFields: Hashable, Sendable {
    /// All common names of the subject, in their order.
    public var commonNames: [String] = []

    /// Subject alternative names, by kind.
    public var emails: [String] = []
    public var dnsNames: [String] = []
    public var uris: [String] = []

    /// When it begins and ends, in seconds since 1970.
    public var validFrom: Int64
    public var validTo: Int64

    /// Whether it may be used to log in: it names client authentication among its purposes, or no purposes at all.
    public var isForClients = true

    public init(validFrom: Int64, validTo: Int64) {
        self.validFrom = validFrom
        self.validTo = validTo
    }

    /// Reads a certificate in DER.
    ///
    /// - Throws: ``LoginError`` `malformed`.
    public init(der: [UInt8]) throws(LoginError) {
        do {
            let certificate = try Certificate(derEncoded: der)
            self.init(
                validFrom: Int64(certificate.notValidBefore.timeIntervalSince1970),
                validTo: Int64(certificate.notValidAfter.timeIntervalSince1970))
            for names in certificate.subject {
                for name in names where name.type == .RDNAttributeType.commonName {
                    commonNames.append(String(name.value) ?? "")
                }
            }
            for name in try certificate.extensions.subjectAlternativeNames ?? SubjectAlternativeNames() {
                switch name {
                case .rfc822Name(let email): emails.append(email)
                case .dnsName(let host): dnsNames.append(host)
                case .uniformResourceIdentifier(let uri): uris.append(uri)
                default: break
                }
            }
            if let purposes = try certificate.extensions.extendedKeyUsage {
                isForClients = purposes.contains(.clientAuth) || purposes.contains(.any)
            }
        } catch {
            throw LoginError(.malformed, "The client's certificate cannot be read", cause: error)
        }
    }
}
