import HTTP
import NIOSSL
import TestSupport

extension TestCertificates.PEM {
    var parsed: NIOSSLCertificate {
        get throws { try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem) }
    }

    var identity: ClientTLS.Identity {
        get throws {
            ClientTLS.Identity(
                certificates: [try parsed], key: try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem))
        }
    }

    /// A server's settings with this certificate.
    func server(clientAuthority: TestCertificates.PEM? = nil, isRequired: Bool = true) throws -> TLSConfiguration {
        let identity = try identity
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: identity.certificates.map { .certificate($0) }, privateKey: .privateKey(identity.key))
        if let clientAuthority {
            configuration.certificateVerification = isRequired ? .noHostnameVerification : .optionalVerification
            configuration.trustRoots = .certificates([try clientAuthority.parsed])
        }
        return configuration
    }
}
