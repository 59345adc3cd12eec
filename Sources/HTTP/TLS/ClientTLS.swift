package import NIOCore
package import NIOSSL
import SwiftASN1
import X509

/// A client's TLS settings: which servers it trusts, and its own certificate.
package struct ClientTLS: Sendable {
    /// Which servers are trusted.
    package enum Trust: Sendable {
        /// Servers with a certificate for their name, signed by an authority that the system trusts.
        case systemRoots
        /// Servers with a certificate for their name, signed by one of these authorities.
        case authorities([NIOSSLCertificate])
        /// The server with exactly this certificate, regardless of name and issuer.
        case pinned(NIOSSLCertificate)
        /// Servers with a self-signed certificate only, as peers have. This does not authenticate the server.
        case selfSignedOnly
    }

    /// A client certificate with its chain, and its key.
    package struct Identity: Sendable {
        package var certificates: [NIOSSLCertificate]
        package var key: NIOSSLPrivateKey

        package init(certificates: [NIOSSLCertificate], key: NIOSSLPrivateKey) {
            self.certificates = certificates
            self.key = key
        }
    }

    package var trust: Trust
    package var identity: Identity?

    package init(trust: Trust = .systemRoots, identity: Identity? = nil) {
        self.trust = trust
        self.identity = identity
    }

    /// - Throws: ``WebSocketError`` `untrusted` if the settings cannot be used.
    package func context() throws -> NIOSSLContext {
        var configuration = configuration
        // Otherwise the TLS library verifies the name even if a callback verifies the certificate.
        if usesCustomVerification { configuration.certificateVerification = .noHostnameVerification }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw WebSocketError(.untrusted, reason: "The TLS settings cannot be used.", cause: error)
        }
    }

    /// The handler of a connection to a host, which verifies the server's certificate.
    package func handler(_ context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        // SNI does not allow addresses; the certificate is then compared with the remote address.
        let name = (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
        switch trust {
        case .systemRoots, .authorities: return try NIOSSLClientHandler(context: context, serverHostname: name)
        case .pinned, .selfSignedOnly:
            return try NIOSSLClientHandler(
                context: context, serverHostname: name,
                customVerificationCallback: { shown, promise in
                    promise.succeed(accepts(shown.first) ? .certificateVerified : .failed)
                })
        }
    }

    /// Reads certificates in PEM, or one in DER.
    ///
    /// - Throws: NIOSSL's error if there is none.
    package static func certificates(_ bytes: [UInt8]) throws -> [NIOSSLCertificate] {
        guard bytes.starts(with: Array("-----BEGIN".utf8)) else { return [try NIOSSLCertificate(bytes: bytes, format: .der)] }
        let chain = try NIOSSLCertificate.fromPEMBytes(bytes)
        guard !chain.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
        return chain
    }
}

extension ClientTLS.Identity {
    /// - Parameters:
    ///   - chain: The certificate and its chain in PEM, or one certificate in DER.
    ///   - key: Its key, in PEM.
    /// - Throws: NIOSSL's error if they cannot be read.
    package init(chain: [UInt8], key: [UInt8]) throws {
        self.init(certificates: try ClientTLS.certificates(chain), key: try NIOSSLPrivateKey(bytes: key, format: .pem))
    }
}

extension ClientTLS {
    /// The settings for clients that do not support a verification callback. They must call ``judge(_:)`` before sending anything, to apply
    /// the kinds of ``trust`` that do not depend on authorities.
    package var configuration: TLSConfiguration {
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

    /// Whether certificates are verified here rather than by the TLS library.
    package var usesCustomVerification: Bool {
        switch trust {
        case .systemRoots, .authorities: false
        case .pinned, .selfSignedOnly: true
        }
    }

    /// Whether a certificate is trusted by the custom rules. The handshake itself proves that the server has the certificate's key.
    func accepts(_ shown: NIOSSLCertificate?) -> Bool {
        switch trust {
        case .systemRoots, .authorities: true
        case .pinned(let certificate): shown == certificate
        case .selfSignedOnly: (try? shown?.toDERBytes()).map(SelfSignature.isValid) ?? false
        }
    }

    /// Verifies the server's certificate on a new connection, and closes the connection if the certificate is not trusted.
    ///
    /// - Returns: A future that fails with ``WebSocketError`` `untrusted`.
    package func judge(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.nioSSL_peerCertificate().flatMapThrowing { shown in
            guard accepts(shown) else {
                channel.close(promise: nil)
                throw WebSocketError(.untrusted, reason: "The server's certificate is not the trusted one.")
            }
        }
    }
}

/// Detection of self-signed certificates, which peers without an authority use.
enum SelfSignature {
    /// Whether a certificate, in DER, has its subject as its issuer and is signed by its own key.
    static func isValid(_ certificate: [UInt8]) -> Bool {
        guard let certificate = try? Certificate(derEncoded: certificate), certificate.issuer == certificate.subject else { return false }
        return certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
    }
}
