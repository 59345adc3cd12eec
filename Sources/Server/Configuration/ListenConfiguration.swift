public import HTTP

/// Where the bridge listens.
public struct ListenConfiguration: Hashable, Sendable {
    /// 1.x HTTP and 2.x+ WebSocket, one port.
    public var publicAddress = ListenAddress(host: "127.0.0.1", port: 4984)

    /// Loopback unless the configuration says otherwise: it asks for no login but with `adminAuth`.
    public var adminAddress = ListenAddress(host: "127.0.0.1", port: 4985)

    /// Of the public port.
    public var tls: TLSFiles?

    /// Of the admin port.
    public var adminTLS: TLSFiles?

    /// Whose word on who is behind them is taken, on the public port.
    public var trustedProxies = TrustedProxies()

    /// How hard what goes to 2.x+ clients is compressed: zlib's level, 0 for not at all. What they send is inflated in any case.
    public var blipCompression = 3

    public init() {}
}
