public import HTTPTypes
public import HummingbirdCore
public import NIOCore
public import NIOSSL

/// What a route may want to know of a request besides the request itself.
public struct RequestInfo: Sendable {
    /// The client's address, or that of a proxy that is not trusted.
    public let remoteAddress: SocketAddress?
    /// Whether the request came over TLS.
    public let isSecure: Bool
    /// Whether a browser sends the request: it says from where (`Origin`, `Sec-Fetch-Site`).
    public let isBrowser: Bool
    /// The certificate that the client showed and that was verified against the configured authority, if any.
    public let peerCertificate: NIOSSLCertificate?
    /// Tells that the server wants to stop. Feeds end then; ordinary requests need not care.
    public var shutdown: ShutdownSignal
    /// On what the request's data draws.
    public let memory: MemoryAccount

    /// Made by the server; public for tests of routes.
    public init(
        remoteAddress: SocketAddress? = nil, isSecure: Bool = false, isBrowser: Bool = false, peerCertificate: NIOSSLCertificate? = nil,
        shutdown: ShutdownSignal = ShutdownSignal(), memory: MemoryAccount = MemoryAccount()
    ) {
        self.remoteAddress = remoteAddress
        self.isSecure = isSecure
        self.isBrowser = isBrowser
        self.peerCertificate = peerCertificate
        self.shutdown = shutdown
        self.memory = memory
    }

    static func isFromBrowser(_ headers: HTTPFields) -> Bool { headers[.origin] != nil || headers[.secFetchSite] != nil }
}

extension HTTPField.Name {
    /// Where a request comes from, in the browser's own words; pages cannot set it.
    public static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}

extension Request {
    /// The whole body.
    ///
    /// - Parameter limit: The most bytes it may have.
    /// - Throws: ``RequestError``: 413 when the body is longer, before it is read where its length was declared; others when it does not come.
    public func bytes(upTo limit: Int) async throws -> [UInt8] {
        let tooLarge = RequestError(.contentTooLarge, reason: "The body is longer than the limit of \(limit) bytes.")
        let declared = headers[.contentLength].flatMap { Int($0) } ?? 0
        guard declared <= limit else { throw tooLarge }
        var bytes: [UInt8] = []
        // What a header promises is not believed beyond a little.
        bytes.reserveCapacity(min(declared, 64 * 1024))
        for try await buffer in body {
            guard bytes.count + buffer.readableBytes <= limit else { throw tooLarge }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        return bytes
    }
}
