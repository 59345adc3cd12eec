import Foundation
package import HTTP
package import NIOSSL

extension TLSFiles {
    /// Tries whether the files that the configuration names can be used.
    ///
    /// - Parameter place: where they stand in the configuration.
    /// - Throws: `ConfigurationError` that names those that cannot.
    package func validate(at place: String = "listen.tls") throws {
        _ = try load(at: place)
    }

    /// Reads the certificate files that the configuration names.
    ///
    /// - Throws: `ConfigurationError` that names those that cannot be used.
    package func load(at place: String = "listen.tls") throws -> TLSConfiguration {
        if let error = ConfigurationError(faults(at: place)) { throw error }
        return try Self.usable(at: place) {
            try TLSConfiguration.server(
                certificateFile: certificate, keyFile: key,
                clientCertificates: clientCA.map { .optional(authorityFile: $0) } ?? .ignored, minimumVersion: minimumVersion.version)
        }
    }

    /// What a port serves with, which can be renewed.
    package func reloadable(at place: String) throws -> ReloadableTLS {
        let settings = try load(at: place)
        return try Self.usable(at: place) { try ReloadableTLS(settings) }
    }

    /// What is wrong with the files.
    private func faults(at place: String) -> [ConfigurationFinding] {
        var faults: [ConfigurationFinding] = []
        func check(_ name: String, _ path: String, _ content: String, _ read: () throws -> Bool) {
            guard FileManager.default.isReadableFile(atPath: path) else {
                faults += fault("\(place).\(name)", "\(path) cannot be read; is the path right, and may it be read?").findings
                return
            }
            if (try? read()) != true { faults += fault("\(place).\(name)", "\(path) is no PEM file with \(content)").findings }
        }
        check("certificate", certificate, "a certificate") { try !NIOSSLCertificate.fromPEMFile(certificate).isEmpty }
        check("key", key, "a private key that is not encrypted") {
            _ = try NIOSSLPrivateKey(file: key, format: .pem)
            return true
        }
        if faults.isEmpty, !isPair {
            faults += fault("\(place).key", "the key in \(key) does not belong to the certificate in \(certificate)").findings
        }
        if let clientCA {
            check("clientCA", clientCA, "certificates of authorities") { try !NIOSSLCertificate.fromPEMFile(clientCA).isEmpty }
        }
        return faults
    }

    private var isPair: Bool {
        (try? TLSConfiguration.server(certificateFile: certificate, keyFile: key))?.hasMatchingKey ?? true
    }

    private func fault(_ path: String, _ message: String) -> ConfigurationError {
        ConfigurationError(.badFile, at: path, message)
    }

    /// - Throws: `ConfigurationError` for what the TLS library says of the files.
    package static func usable<Value>(at place: String = "listen.tls", _ use: () throws -> Value) throws -> Value {
        do {
            return try use()
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw ConfigurationError(
                .badFile, at: place,
                "the certificate, key or client authority cannot be used (\(NetworkErrorText.text(error))); all are PEM files")
        }
    }
}

extension TLSConfiguration {
    /// Whether the key is the certificate's. Both have been read by themselves, so that a key that is refused here is another one's.
    var hasMatchingKey: Bool {
        guard case .failure(let error) = Result(catching: { try NIOSSLContext(configuration: self) }) else { return true }
        return error as? NIOSSLError != .failedToLoadPrivateKey
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
