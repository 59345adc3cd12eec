import Foundation
import HTTP
package import HTTPListener
package import NIOSSL

extension TLSFiles {
    /// Checks that the configured files are usable.
    ///
    /// - Parameter place: the path of the files' setting in the configuration.
    /// - Throws: `ConfigurationError` that names the unusable files.
    package func validate(at place: String = "listen.tls") throws {
        _ = try load(at: place)
    }

    /// Loads the configured certificate files.
    ///
    /// - Throws: `ConfigurationError` that names the unusable files.
    package func load(at place: String = "listen.tls") throws -> TLSConfiguration {
        if let error = ConfigurationError(faults(at: place)) { throw error }
        return try Self.usable(at: place) {
            try TLSConfiguration.server(
                certificateFile: certificate, keyFile: key,
                clientCertificates: clientCA.map { .optional(authorityFile: $0) } ?? .ignored, minimumVersion: minimumVersion.version)
        }
    }

    /// The TLS configuration of a port, which can be reloaded while the port is open.
    package func reloadable(at place: String) throws -> ReloadableTLS {
        let settings = try load(at: place)
        return try Self.usable(at: place) { try ReloadableTLS(settings) }
    }

    /// The errors in the files.
    private func faults(at place: String) -> [ConfigurationFinding] {
        var faults: [ConfigurationFinding] = []
        func check(_ name: String, _ path: String, _ content: String, _ read: () throws -> Bool) {
            guard FileManager.default.isReadableFile(atPath: path) else {
                faults += fault("\(place).\(name)", "\(path) cannot be read; check the path and its permissions").findings
                return
            }
            if (try? read()) != true { faults += fault("\(place).\(name)", "\(path) is not a PEM file with \(content)").findings }
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

    /// Runs a call of the TLS library.
    ///
    /// - Throws: `ConfigurationError` with the TLS library's message.
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
    /// Whether the key belongs to the certificate. Both files parse on their own, so an error here means that they do not match.
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
