/// A certificate that is shown to a server over TLS, and its key.
public struct ReplicationIdentity: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The certificate and those that lead to its authority, in PEM; or one in DER.
    public let certificateChain: [UInt8]

    /// Its key, in PEM.
    public let privateKey: [UInt8]

    public init(certificateChain: [UInt8], privateKey: [UInt8]) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }

    /// Never shows the key, so that no log can.
    public var description: String { "ReplicationIdentity(privateKey: hidden)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
