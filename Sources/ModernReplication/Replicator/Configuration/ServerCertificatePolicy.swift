/// Which server is trusted, where the connection uses TLS.
public enum ServerCertificatePolicy: Sendable, Hashable {
    /// One whose certificate an authority known to the system has signed for its name.
    case system
    /// Any that has signed its certificate itself, and no other, as between peers.
    case selfSignedOnly
    /// The one with exactly this certificate, in PEM or DER; nothing else matters.
    case pinned([UInt8])
}
