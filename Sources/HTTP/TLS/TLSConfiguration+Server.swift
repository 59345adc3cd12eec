public import NIOSSL

extension TLSConfiguration {
    /// Whether clients show certificates.
    public enum ClientCertificates: Sendable {
        /// They are not asked to.
        case ignored
        /// They may; one that is shown must be signed by an authority in this PEM file.
        case optional(authorityFile: String)
        /// They must; it must be signed by an authority in this PEM file.
        case required(authorityFile: String)
    }

    /// A server's settings from PEM files.
    ///
    /// - Parameters:
    ///   - certificateFile: The server's certificate and those that lead to its authority.
    ///   - keyFile: The certificate's private key.
    ///   - clientCertificates: Whether clients show certificates.
    ///   - minimumVersion: The oldest version spoken. Old iOS clients force TLS 1.0 on their changes feed.
    /// - Throws: NIOSSL's error when a file cannot be read.
    public static func server(
        certificateFile: String, keyFile: String, clientCertificates: ClientCertificates = .ignored,
        minimumVersion: TLSVersion = .tlsv12
    ) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificateFile).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: keyFile, format: .pem)))
        configuration.minimumTLSVersion = minimumVersion
        configuration.applicationProtocols = ["http/1.1"]
        switch clientCertificates {
        case .ignored: break
        case .optional(let file):
            configuration.certificateVerification = .optionalVerification
            configuration.trustRoots = .file(file)
        case .required(let file):
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .file(file)
        }
        return configuration
    }
}
