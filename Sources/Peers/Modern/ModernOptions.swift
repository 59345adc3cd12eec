public import HTTP

/// Who a 2.x+ client is, and what it knows of the protocol.
public struct ModernOptions: Sendable {
    /// Sent with the handshake.
    public var credentials: BasicCredentials?

    /// The protocols that it offers, the preferred one first.
    public var subprotocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]

    /// Whether it wants to be told of documents to which access was lost, as a client with auto-purge does.
    public var takesRevocations = false

    public init() {}
}
