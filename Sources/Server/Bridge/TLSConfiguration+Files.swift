import HTTP
import NIOSSL

extension TLSFiles {
    /// Reads the certificate files that the configuration names.
    func load() throws -> TLSConfiguration {
        do {
            return try TLSConfiguration.server(
                certificateFile: certificate, keyFile: key,
                clientCertificates: clientCA.map { .optional(authorityFile: $0) } ?? .ignored)
        } catch {
            throw ConfigurationError(
                .badValue, at: "listen.tls", "the certificate, key or client authority cannot be used (\(error)); all are PEM files")
        }
    }
}
