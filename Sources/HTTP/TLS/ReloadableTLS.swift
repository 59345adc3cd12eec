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
