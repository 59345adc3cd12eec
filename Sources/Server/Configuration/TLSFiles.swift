/// The files of the public port's certificate.
public struct TLSFiles: Hashable, Sendable {
    /// The certificate chain, PEM.
    public var certificate: String
    /// Its private key, PEM.
    public var key: String
    /// The authorities whose client certificates are accepted, PEM.
    public var clientCA: String?
}
