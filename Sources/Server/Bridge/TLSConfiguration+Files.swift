import Foundation
import HTTP
import NIOSSL

extension TLSFiles {
    /// Tries whether the files that the configuration names can be used.
    ///
    /// - Parameter path: where they stand in the configuration.
    /// - Throws: `ConfigurationError` that names the one that cannot.
    public func validate(at path: String = "listen.tls") throws {
        _ = try load(at: path)
    }

    /// Reads the certificate files that the configuration names.
    func load(at place: String = "listen.tls") throws -> TLSConfiguration {
        for (key, path) in [("certificate", certificate), ("key", key)] + (clientCA.map { [("clientCA", $0)] } ?? []) {
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw ConfigurationError(
                    .badValue, at: "\(place).\(key)", "\(path) cannot be read; is the path right, and may it be read?")
            }
        }
        return try Self.usable(at: place) {
            try TLSConfiguration.server(
                certificateFile: certificate, keyFile: key,
                clientCertificates: clientCA.map { .optional(authorityFile: $0) } ?? .ignored, minimumVersion: minimumVersion.version)
        }
    }

    /// What a port serves with, which can be renewed.
    func reloadable(at place: String) throws -> ReloadableTLS {
        let settings = try load(at: place)
        return try Self.usable(at: place) { try ReloadableTLS(settings) }
    }

    /// - Throws: `ConfigurationError` for what the TLS library says of the files.
    static func usable<Value>(at place: String = "listen.tls", _ use: () throws -> Value) throws -> Value {
        do {
            return try use()
        } catch {
            throw ConfigurationError(
                .badValue, at: place,
                "the certificate, key or client authority cannot be used (\(PlainCause.text(error))); all are PEM files")
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
