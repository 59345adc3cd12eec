import NIOCore
import NIOPosix
import NIOSSL

/// Looks which certificates a server shows, in a handshake that is given up then: the TLS layer does not say why it has refused them.
enum ShownCertificates {
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
