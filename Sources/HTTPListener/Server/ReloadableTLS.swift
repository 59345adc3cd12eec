import Coordination
import NIOCore
package import NIOSSL

/// A server's TLS settings, replaceable at run time. New connections use the new settings.
package final class ReloadableTLS: Sendable {
    private struct Settings {
        let context: NIOSSLContext
        let expiry: Int64?
    }

    private let settings: Lock<Settings>

    /// - Throws: NIOSSL's error if the certificate, the key or the trust roots cannot be read.
    package init(_ configuration: TLSConfiguration) throws {
        settings = Lock(try Self.settings(configuration))
    }

    /// Replaces the settings, for example with a renewed certificate.
    ///
    /// - Throws: NIOSSL's error if they cannot be used; the old settings stay in effect then.
    package func reload(_ configuration: TLSConfiguration) throws {
        let replacement = try Self.settings(configuration)
        settings.withLock { $0 = replacement }
    }

    private static func settings(_ configuration: TLSConfiguration) throws -> Settings {
        var configuration = configuration
        // NIO waits five seconds by default for a client's reply to the closing notification.
        configuration.shutdownTimeout = .seconds(1)
        let ends = configuration.certificateChain.compactMap { source -> Int64? in
            guard case .certificate(let certificate) = source else { return nil }
            return Int64(certificate.notValidAfter)
        }
        return Settings(context: try NIOSSLContext(configuration: configuration), expiry: ends.min())
    }

    /// The context for the next connection.
    var current: NIOSSLContext { settings.withLock { $0.context } }

    /// The earliest expiry of the chain's certificates, in seconds since 1970; `nil` if the chain is unknown.
    package var expiry: Int64? { settings.withLock { $0.expiry } }
}

extension TLSConfiguration {
    /// The policy for client certificates.
    package enum ClientCertificates: Sendable {
        /// Client certificates are not requested.
        case ignored
        /// Clients may present a certificate, which must be signed by an authority in this PEM file.
        case optional(authorityFile: String)
        /// Clients must present a certificate signed by an authority in this PEM file.
        case required(authorityFile: String)
    }

    /// A server's settings from PEM files.
    ///
    /// - Parameters:
    ///   - certificateFile: The server's certificate and its chain.
    ///   - keyFile: The certificate's private key.
    ///   - clientCertificates: The policy for client certificates.
    ///   - minimumVersion: The oldest accepted version. Old iOS clients force TLS 1.0 on their changes feed.
    /// - Throws: NIOSSL's error if a file cannot be read.
    package static func server(
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
