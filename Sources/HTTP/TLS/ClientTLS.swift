import NIOCore
public import NIOSSL

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
        if isJudgedHere { configuration.certificateVerification = .noHostnameVerification }
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
}
