import NIOCore
import NIOPosix
import NIOSSL

/// A relay before a port with TLS: clients send plain bytes to it, and it uses TLS with the server, without a check of its certificate.
final class TLSRelay: Sendable {
    private let channel: any Channel

    init(to port: Int) async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        let context = try NIOSSLContext(configuration: configuration)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { incoming in
                // On the client's loop, so that no byte is passed on before both connections are open.
                ClientBootstrap(group: incoming.eventLoop)
                    .channelInitializer { outgoing in
                        outgoing.eventLoop.makeCompletedFuture {
                            let pipeline = outgoing.pipeline.syncOperations
                            try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                            try pipeline.addHandler(Forwarding(to: incoming))
                        }
                    }
                    .connect(host: "127.0.0.1", port: port)
                    .flatMapThrowing { outgoing in
                        try incoming.pipeline.syncOperations.addHandler(Forwarding(to: outgoing))
                        try incoming.syncOptions?.setOption(.autoRead, value: true)
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    func stop() async throws { try await channel.close() }
}
