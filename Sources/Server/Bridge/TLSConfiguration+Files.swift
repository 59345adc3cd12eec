import Foundation
import HTTP
import NIOSSL

extension TLSFiles {
    /// Tries whether the files that the configuration names can be used.
    ///
    /// - Throws: `ConfigurationError` that names the one that cannot.
    public func validate() throws {
        _ = try load()
    }

    /// Reads the certificate files that the configuration names.
    func load() throws -> TLSConfiguration {
        for (key, path) in [("certificate", certificate), ("key", key)] + (clientCA.map { [("clientCA", $0)] } ?? []) {
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw ConfigurationError(
                    .badValue, at: "listen.tls.\(key)", "\(path) cannot be read; is the path right, and may it be read?")
            }
        }
        return try Self.usable {
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
