package import Coordination
package import HTTP
package import HTTPTypes
package import HummingbirdCore
package import NIOCore
package import NIOSSL

/// Information for routes about a request's connection.
package struct RequestInfo: Sendable {
    /// The client's address, or the address of an untrusted proxy.
    package private(set) var remoteAddress: SocketAddress?
    /// Whether the request arrived over TLS.
    package private(set) var isSecure: Bool
    /// Whether a browser sent the request, detected by its `Origin` or `Sec-Fetch-Site` header.
    package let isBrowser: Bool
    /// The client's certificate, verified against the configured authority, if any.
    package private(set) var peerCertificate: NIOSSLCertificate?
    /// Signals that the server is stopping. Feeds end on it; ordinary requests can ignore it.
    package var shutdown: StopSignal
    /// The account for the request's memory.
    package let memory: MemoryAccount
    /// The client's connection; `nil` in tests of routes.
    package let connection: ClientConnection?

    /// Created by the server; accessible for tests of routes.
    package init(
        remoteAddress: SocketAddress? = nil, isSecure: Bool = false, isBrowser: Bool = false, peerCertificate: NIOSSLCertificate? = nil,
        shutdown: StopSignal = StopSignal(), memory: MemoryAccount = MemoryAccount(), connection: ClientConnection? = nil
    ) {
        self.remoteAddress = remoteAddress
        self.isSecure = isSecure
        self.isBrowser = isBrowser
        self.peerCertificate = peerCertificate
        self.shutdown = shutdown
        self.memory = memory
        self.connection = connection
    }

    /// The same request as a trusted proxy has described it. The certificate is removed, because it belongs to the proxy.
    func forwarded(for client: SocketAddress, isSecure: Bool) -> RequestInfo {
        var info = self
        info.remoteAddress = client
        info.isSecure = isSecure
        info.peerCertificate = nil
        return info
    }

    static func isFromBrowser(_ headers: HTTPFields) -> Bool { headers[.origin] != nil || headers[.secFetchSite] != nil }
}

/// The connection of a request, for routes that pass it on.
package struct ClientConnection: Sendable {
    private let channel: any Channel

    init(_ channel: any Channel) {
        self.channel = channel
    }

    /// A connection on the same event loop can be joined with this one in a tunnel.
    package var eventLoop: any EventLoop { channel.eventLoop }

    /// Closes the connection without a further response. The task of the request is cancelled.
    package func drop() {
        channel.close(promise: nil)
    }
}

extension HTTPField.Name {
    /// The relation of the request to its page's origin, set by browsers; pages cannot set it.
    package static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}

extension Request {
    /// Reads the whole body.
    ///
    /// - Parameter limit: The maximum size in bytes.
    /// - Throws: ``RequestError``: 413 if the body is longer, before reading it if its declared length is; other codes if the body does not
    ///   arrive.
    package func bytes(upTo limit: Int) async throws -> [UInt8] {
        let tooLarge = RequestError(.contentTooLarge, reason: "The body is longer than the limit of \(limit) bytes.")
        let declared = headers[.contentLength].flatMap { Int($0) } ?? 0
        guard declared <= limit else { throw tooLarge }
        var bytes: [UInt8] = []
        // The declared length is not trusted: reserve only a limited amount.
        bytes.reserveCapacity(min(declared, 64 * 1024))
        for try await buffer in body {
            guard bytes.count + buffer.readableBytes <= limit else { throw tooLarge }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        return bytes
    }
}
