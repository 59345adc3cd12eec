import NIOCore
public import NIOSSL
import Synchronization

/// A server's TLS settings, which can be replaced while it serves: connections accepted from then on get the new ones.
public final class ReloadableTLS: Sendable {
    private let context: Mutex<NIOSSLContext>

    /// - Throws: NIOSSL's error when the certificate, the key or the trust roots cannot be read.
    public init(_ configuration: TLSConfiguration) throws {
        context = Mutex(try Self.context(configuration))
    }

    /// Takes new settings, a renewed certificate for example.
    ///
    /// - Throws: NIOSSL's error when they cannot be used; the old ones stay in force then.
    public func reload(_ configuration: TLSConfiguration) throws {
        let replacement = try Self.context(configuration)
        context.withLock { $0 = replacement }
    }

    private static func context(_ configuration: TLSConfiguration) throws -> NIOSSLContext {
        var configuration = configuration
        // Clients that do not answer a closing connection's last word are not worth NIO's five seconds.
        configuration.shutdownTimeout = .seconds(1)
        return try NIOSSLContext(configuration: configuration)
    }

    /// What the next connection gets.
    var current: NIOSSLContext { context.withLock { $0 } }
}
