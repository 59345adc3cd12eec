package import Access
import Foundation
import SwiftASN1
import X509

/// The fields of a certificate that can identify a user (X.509, RFC 5280). The TLS handshake has checked that the certificate is trusted.
package struct CertificateFields: Hashable, Sendable {
    /// All common names of the subject, in their order.
    package var commonNames: [String] = []

    /// Subject alternative names, by kind.
    package var emails: [String] = []
    package var dnsNames: [String] = []
    package var uris: [String] = []

    /// The period of validity, in seconds since 1970.
    package var validFrom: Int64
    package var validTo: Int64

    /// Whether it may be used to log in: its purposes include client authentication, or it lists no purposes.
    package var isForClients = true

    package init(validFrom: Int64, validTo: Int64) {
        self.validFrom = validFrom
        self.validTo = validTo
    }

    /// Reads a certificate in DER.
    ///
    /// - Throws: ``LoginError`` `malformed`.
    package init(der: [UInt8]) throws(LoginError) {
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
