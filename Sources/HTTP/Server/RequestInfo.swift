public import NIOCore
public import NIOSSL

/// What a route may want to know of a request besides the request itself.
public struct RequestInfo: Sendable {
    /// The client's address, or that of a proxy that is not trusted.
    public let remoteAddress: SocketAddress?
    /// Whether the request came over TLS.
    public let isSecure: Bool
    /// The certificate that the client showed and that was verified against the configured authority, if any.
    public let peerCertificate: NIOSSLCertificate?
    /// Tells that the server wants to stop. Feeds end then; ordinary requests need not care.
    public var shutdown: ShutdownSignal

    /// Made by the server; public for tests of routes.
    public init(
        remoteAddress: SocketAddress? = nil, isSecure: Bool = false, peerCertificate: NIOSSLCertificate? = nil,
        shutdown: ShutdownSignal = ShutdownSignal()
    ) {
        self.remoteAddress = remoteAddress
        self.isSecure = isSecure
        self.peerCertificate = peerCertificate
        self.shutdown = shutdown
    }
}
