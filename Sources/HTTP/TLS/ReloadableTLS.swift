import NIOCore
public import NIOSSL
import Synchronization

/// A server's TLS settings, which can be replaced while it serves: connections accepted from then on get the new ones.
public final class ReloadableTLS: Sendable {
    private struct Settings {
        let context: NIOSSLContext
        let expiry: Int64?
    }

    private let settings: Mutex<Settings>

    /// - Throws: NIOSSL's error when the certificate, the key or the trust roots cannot be read.
    public init(_ configuration: TLSConfiguration) throws {
        settings = Mutex(try Self.settings(configuration))
    }

    /// Takes new settings, a renewed certificate for example.
    ///
    /// - Throws: NIOSSL's error when they cannot be used; the old ones stay in force then.
    public func reload(_ configuration: TLSConfiguration) throws {
        let replacement = try Self.settings(configuration)
        settings.withLock { $0 = replacement }
    }

    private static func settings(_ configuration: TLSConfiguration) throws -> Settings {
        var configuration = configuration
        // Clients that do not answer a closing connection's last word are not worth NIO's five seconds.
        configuration.shutdownTimeout = .seconds(1)
        let ends = configuration.certificateChain.compactMap { source -> Int64? in
            guard case .certificate(let certificate) = source else { return nil }
            return Int64(certificate.notValidAfter)
        }
        return Settings(context: try NIOSSLContext(configuration: configuration), expiry: ends.min())
    }

    /// What the next connection gets.
    var current: NIOSSLContext { settings.withLock { $0.context } }

    /// The earliest expiry of the chain's certificates, in seconds since 1970; `nil` if the chain is not known.
    package var expiry: Int64? { settings.withLock { $0.expiry } }
}

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
