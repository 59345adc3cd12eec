import HTTP
import NIOSSL

extension TLSFiles {
    /// Reads the certificate files that the configuration names.
    func load() throws -> TLSConfiguration {
        try Self.usable {
            try TLSConfiguration.server(
                certificateFile: certificate, keyFile: key,
                clientCertificates: clientCA.map { .optional(authorityFile: $0) } ?? .ignored, minimumVersion: minimumVersion.version)
        }
    }

    /// - Throws: `ConfigurationError` for what the TLS library says of the files.
    static func usable<Value>(_ use: () throws -> Value) throws -> Value {
        do {
            return try use()
        } catch {
            throw ConfigurationError(
                .badValue, at: "listen.tls", "the certificate, key or client authority cannot be used (\(error)); all are PEM files")
        }
    }
}

extension TLSFiles.MinimumVersion {
    fileprivate var version: TLSVersion {
        switch self {
        case .tls10: .tlsv1
        case .tls11: .tlsv11
        case .tls12: .tlsv12
        case .tls13: .tlsv13
        }
    }
}
