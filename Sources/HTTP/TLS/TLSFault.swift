import NIOCore
import NIOPosix
import NIOSSL

/// Why a client's TLS handshake failed.
public enum TLSFault: Sendable, Hashable {
    /// The server's certificate, or one of those that lead to its authority, is out of its time.
    case expired
    /// No authority that is trusted has signed it: it is self-signed, or by a stranger.
    case unknownAuthority
    /// It is another server's.
    case nameMismatch
    /// It is not the pinned one, or not self-signed where it has to be.
    case pinMismatch
    /// The server wants to see a certificate of the client's.
    case clientCertificateRequired
    /// It does not like the one that it was shown.
    case clientCertificateRejected
    /// Both have no version or cipher in common, or one of them breaks the protocol.
    case handshake

    /// BoringSSL's names for alerts by which a server refuses a certificate (RFC 8446 6.2: 42 to 49), as they stand in its errors.
    private static let rejections = [
        "ALERT_BAD_CERTIFICATE", "ALERT_UNSUPPORTED_CERTIFICATE", "ALERT_CERTIFICATE_REVOKED", "ALERT_CERTIFICATE_EXPIRED",
        "ALERT_CERTIFICATE_UNKNOWN", "ALERT_UNKNOWN_CA", "ALERT_ACCESS_DENIED",
    ]

    /// What an error of the TLS layer means; `nil` where the server's certificate was refused and has to be looked at to say why.
    init?(_ error: any Error, trust: ClientTLS.Trust) {
        // What BoringSSL has found is known by its names alone.
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

    /// Why the certificates that a server has shown were refused.
    ///
    /// - Parameter now: Seconds since 1970.
    init(refused chain: [NIOSSLCertificate], now: Int) {
        let isSelfSigned = (try? chain.first?.toDERBytes()).map(SelfSignature.isValid) ?? false
        let isOutOfTime = chain.contains { $0.notValidAfter < now || $0.notValidBefore > now }
        self = isOutOfTime && !isSelfSigned ? .expired : .unknownAuthority
    }
}

/// Looks which certificates a server shows, in a handshake that is given up then: the TLS layer does not say why it has refused them.
enum PeerCertificates {
    /// - Returns: The server's certificate and those that it sends with it; none if that cannot be found out.
    static func of(host: String, port: Int, timeout: Duration) async -> [NIOSSLCertificate] {
        let shown = Eventual<[NIOSSLCertificate]>()
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
            return try await shown.value()
        } catch {
            return []
        }
    }
}
