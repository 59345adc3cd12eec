import Coordination
import NIOCore
import NIOPosix

/// An HTTP proxy that opens tunnels (`CONNECT`) to requested hosts, with a login if it is configured.
final class ConnectProxy: Sendable {
    private let channel: any Channel
    private let asked: Asked

    /// The requested hosts.
    final class Asked: Sendable {
        let targets = Lock<[String]>([])
    }

    /// - Parameter authorization: The required `Proxy-Authorization`; `nil` for none.
    init(authorization: String? = nil) async throws {
        let asked = Asked()
        self.asked = asked
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { incoming in
                incoming.eventLoop.makeCompletedFuture {
                    try incoming.pipeline.syncOperations.addHandler(ConnectHandler(authorization: authorization, asked: asked))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    /// The requested hosts so far.
    var targets: [String] { asked.targets.withLock { $0 } }

    func stop() async throws { try await channel.close() }
}

private final class ConnectHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let authorization: String?
    private let asked: ConnectProxy.Asked
    private var head = ""

    init(authorization: String?, asked: ConnectProxy.Asked) {
        self.authorization = authorization
        self.asked = asked
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        head += String(buffer: unwrapInboundIn(data))
        guard head.hasSuffix("\r\n\r\n") else { return }
        let parts = head.split(separator: " ")
        let target = String(parts[1])
        asked.targets.withLock { $0.append(target) }
        guard parts[0] == "CONNECT",
            authorization.map({ head.lowercased().contains("\r\nproxy-authorization: \($0.lowercased())\r\n") }) ?? true
        else {
            return Self.answer("407 Proxy Authentication Required\r\nContent-Length: 0", context.channel, closes: true)
        }
        guard let port = target.split(separator: ":").last.flatMap({ Int($0) }) else {
            return Self.answer("502 Bad Gateway\r\nContent-Length: 0", context.channel, closes: true)
        }
        let incoming = context.channel
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        ClientBootstrap(group: incoming.eventLoop).connect(host: "127.0.0.1", port: port).whenComplete { result in
            guard case .success(let outgoing) = result else {
                return Self.answer("502 Bad Gateway\r\nContent-Length: 0", incoming, closes: true)
            }
            do {
                try incoming.pipeline.syncOperations.addHandler(Forwarding(to: outgoing))
                try outgoing.pipeline.syncOperations.addHandler(Forwarding(to: incoming))
                Self.answer("200 Connection established", incoming)
            } catch {
                incoming.close(promise: nil)
            }
        }
    }

    private static func answer(_ text: String, _ channel: any Channel, closes: Bool = false) {
        channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 \(text)\r\n\r\n")).whenComplete { _ in
            if closes { channel.close(promise: nil) }
        }
    }
}

/// Passes the bytes of one connection to another one, and its end.
final class Forwarding: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(to other: any Channel) {
        self.other = other
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { other.writeAndFlush(unwrapInboundIn(data), promise: nil) }
    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
}
