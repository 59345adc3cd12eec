import HTTP
import NIOSSL

extension ReloadableTLS {
    /// Reads the certificate files that the configuration names.
    convenience init(_ files: TLSFiles) throws {
        do {
            try self.init(certificateChain: files.certificate, privateKey: files.key, clientAuthority: files.clientCA)
        } catch {
            throw ConfigurationError(
                .badValue, at: "listen.tls", "the certificate, key or client authority cannot be used: \(error). All are PEM files")
        }
    }
}
