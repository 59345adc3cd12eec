public import NIOCore
public import NIOSSL
import SwiftASN1
import X509

/// What a client trusts, and how it shows who it is.
public struct ClientTLS: Sendable {
    /// Which servers are trusted.
    public enum Trust: Sendable {
        /// Those whose certificate an authority known to the system has signed for their name.
        case systemRoots
        /// Those whose certificate one of these authorities has signed for their name.
        case authorities([NIOSSLCertificate])
        /// The one with exactly this certificate, whatever its name and whoever signed it.
        case pinned(NIOSSLCertificate)
        /// Those that have signed their certificate themselves, and no others, as between peers. Proves nothing about who they are.
        case selfSignedOnly
    }

    /// A certificate to show, with those that lead to its authority, and its key.
    public struct Identity: Sendable {
        public var certificates: [NIOSSLCertificate]
        public var key: NIOSSLPrivateKey

        public init(certificates: [NIOSSLCertificate], key: NIOSSLPrivateKey) {
            self.certificates = certificates
            self.key = key
        }
    }

    public var trust: Trust
    public var identity: Identity?

    public init(trust: Trust = .systemRoots, identity: Identity? = nil) {
        self.trust = trust
        self.identity = identity
    }

    func context() throws -> NIOSSLContext {
        var configuration = configuration
        // The name would be compared even where the certificate is judged by a callback.
        if usesCustomVerification { configuration.certificateVerification = .noHostnameVerification }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw WebSocketError(.untrusted, reason: "The TLS settings cannot be used.", cause: error)
        }
    }

    func handler(_ context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        // Addresses cannot be asked for by name; the certificate is then compared with the address connected to.
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
    public static func certificates(_ bytes: [UInt8]) throws -> [NIOSSLCertificate] {
        guard bytes.starts(with: Array("-----BEGIN".utf8)) else { return [try NIOSSLCertificate(bytes: bytes, format: .der)] }
        let chain = try NIOSSLCertificate.fromPEMBytes(bytes)
        guard !chain.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
        return chain
    }
}

extension ClientTLS.Identity {
    /// - Parameters:
    ///   - chain: The certificate and those that lead to its authority, in PEM; or one in DER.
    ///   - key: Its key, in PEM.
    /// - Throws: NIOSSL's error if they cannot be read.
    public init(chain: [UInt8], key: [UInt8]) throws {
        self.init(certificates: try ClientTLS.certificates(chain), key: try NIOSSLPrivateKey(bytes: key, format: .pem))
    }
}

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
    public var usesCustomVerification: Bool {
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
