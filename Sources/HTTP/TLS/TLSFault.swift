import Coordination
import NIOCore
import NIOPosix
import NIOSSL

/// The reason why a client's TLS handshake failed.
package enum TLSFault: Sendable, Hashable {
    /// The server's certificate, or one of its chain, is expired or not yet valid.
    case expired
    /// The certificate is self-signed or signed by an untrusted authority.
    case unknownAuthority
    /// The certificate is for another server name.
    case nameMismatch
    /// The certificate is not the pinned one, or not self-signed where it must be.
    case pinMismatch
    /// The server requires a client certificate.
    case clientCertificateRequired
    /// The server rejects the client's certificate.
    case clientCertificateRejected
    /// Both sides have no version or cipher in common, or one of them violates the protocol.
    case handshake

    /// BoringSSL's names, as they occur in its errors, for the alerts by which a server rejects a certificate (RFC 8446 6.2: 42 to 49).
    private static let rejections = [
        "ALERT_BAD_CERTIFICATE", "ALERT_UNSUPPORTED_CERTIFICATE", "ALERT_CERTIFICATE_REVOKED", "ALERT_CERTIFICATE_EXPIRED",
        "ALERT_CERTIFICATE_UNKNOWN", "ALERT_UNKNOWN_CA", "ALERT_ACCESS_DENIED",
    ]

    /// Classifies a TLS error; `nil` if the server's certificate was refused and must be inspected to determine the reason.
    init?(_ error: any Error, trust: ClientTLS.Trust) {
        // BoringSSL's errors can be distinguished only by their names.
        let text = "\(error)"
        if error as? NIOSSLExtraError == .failedToValidateHostname {
            self = .nameMismatch
        } else if text.contains("CERTIFICATE_VERIFY_FAILED") {
            switch trust {
            case .pinned, .selfSignedOnly: self = .pinMismatch
            case .systemRoots, .authorities: return nil
            }
        } else if text.contains("ALERT_CERTIFICATE_REQUIRED") || text.contains("ALERT_NO_CERTIFICATE") {
            self = .clientCertificateRequired
        } else if Self.rejections.contains(where: text.contains) {
            self = .clientCertificateRejected
        } else {
            self = .handshake
        }
    }

    /// Determines why the server's certificates were refused.
    ///
    /// - Parameter now: Seconds since 1970.
    init(refused chain: [NIOSSLCertificate], now: Int) {
        let isSelfSigned = (try? chain.first?.toDERBytes()).map(SelfSignature.isValid) ?? false
        let isOutOfTime = chain.contains { $0.notValidAfter < now || $0.notValidBefore > now }
        self = isOutOfTime && !isSelfSigned ? .expired : .unknownAuthority
    }
}

/// Fetches a server's certificates in a handshake that is then aborted, because the TLS layer does not report why it refused them.
enum PeerCertificates {
    /// - Returns: The server's certificate and its chain; empty if they cannot be fetched.
    static func of(host: String, port: Int, timeout: Duration) async -> [NIOSSLCertificate] {
        let shown = Promise<[NIOSSLCertificate], Never>()
        do {
            let context = try ClientTLS(trust: .selfSignedOnly).context()
            let name = (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(TimeAmount(timeout))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let handler = try NIOSSLClientHandler(
                            context: context, serverHostname: name,
                            customVerificationCallback: { chain, promise in
                                shown.resolve(.success(chain))
                                promise.succeed(.failed)
                            })
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                }
                .connect(host: host, port: port).get()
            let timer = channel.eventLoop.scheduleTask(in: TimeAmount(timeout)) { shown.resolve(.success([])) }
            channel.closeFuture.whenComplete { _ in shown.resolve(.success([])) }
            defer {
                timer.cancel()
                channel.close(promise: nil)
            }
            return await shown.value()
        } catch {
            return []
        }
    }
}
