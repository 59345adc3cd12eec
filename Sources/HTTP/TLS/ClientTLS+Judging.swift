public import NIOCore
public import NIOSSL
import SwiftASN1
import X509

extension ClientTLS {
    /// The settings for clients that take no callback for certificates. What ``trust`` asks for beyond authorities is left to
    /// ``judge(_:)``, before anything is sent.
    public var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        switch trust {
        case .systemRoots: break
        case .authorities(let certificates): configuration.trustRoots = .certificates(certificates)
        case .pinned, .selfSignedOnly: configuration.certificateVerification = .none
        }
        if let identity {
            configuration.certificateChain = identity.certificates.map { .certificate($0) }
            configuration.privateKey = .privateKey(identity.key)
        }
        return configuration
    }

    /// Whether certificates are judged by other rules than the TLS library's.
    public var isJudgedHere: Bool {
        switch trust {
        case .systemRoots, .authorities: false
        case .pinned, .selfSignedOnly: true
        }
    }

    /// Whether a certificate that is judged here is trusted. That the server has its key is proved by the handshake.
    func accepts(_ shown: NIOSSLCertificate?) -> Bool {
        switch trust {
        case .systemRoots, .authorities: true
        case .pinned(let certificate): shown == certificate
        case .selfSignedOnly: (try? shown?.toDERBytes()).map(SelfSignature.isValid) ?? false
        }
    }

    /// Judges the certificate of a server to which a connection has just been opened, and closes the connection if it is not trusted.
    ///
    /// - Returns: Fails with ``WebSocketError`` `untrusted`.
    public func judge(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.nioSSL_peerCertificate().flatMapThrowing { shown in
            guard accepts(shown) else {
                channel.close(promise: nil)
                throw WebSocketError(.untrusted, reason: "The server's certificate is another one than is trusted.")
            }
        }
    }
}

/// Whether a server has signed its certificate itself, as peers do that no authority knows.
enum SelfSignature {
    /// Whether a certificate, in DER, names its subject as its issuer and is signed by its own key.
    static func isValid(_ certificate: [UInt8]) -> Bool {
        guard let certificate = try? Certificate(derEncoded: certificate), certificate.issuer == certificate.subject else { return false }
        return certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
    }
}
