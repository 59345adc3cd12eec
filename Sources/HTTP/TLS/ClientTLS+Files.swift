public import NIOSSL

extension ClientTLS {
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
