import Coordination
import Foundation
import HTTP
import NIOCore
import NIOPosix

/// A client that requests large responses and reads a few bytes per second.
struct SlowReader: SoakClient {
    let name = "slow reader"
    let world: World
    let account: SoakAccount

    func live() async throws {
        guard world.isWriting else { return }
        let connection = try await RawConnection(port: world.server.port, isSlow: true)
        let path = Bool.random() ? "_changes?feed=continuous&include_docs=true&since=0" : "_all_docs?include_docs=true"
        let authorization = account.credentials.map { "Authorization: \($0.authorization)\r\n" } ?? ""
        try await connection.send(Array("GET /\(SoakDatabase.name)/\(path) HTTP/1.1\r\nHost: soak\r\n\(authorization)\r\n".utf8))
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await connection.closed() }
            // Simulates a device that is switched off.
            group.addTask { try await suspend(for: .seconds(Double.random(in: 20...120))) }
            defer { group.cancelAll() }
            _ = await group.nextResult()
            await connection.close(isReset: Bool.random())
        }
    }
}

/// A raw TCP connection to the bridge that sends given bytes and optionally reads slowly.
final class RawConnection: Sendable {
    private let channel: any Channel

    /// - Parameter isSlow: Whether to read 16 bytes per second with a minimal receive buffer.
    init(port: Int, isSlow: Bool) async throws {
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.seconds(20))
        if isSlow {
            bootstrap =
                bootstrap.channelOption(.autoRead, value: false)
                .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16))
                .channelOption(.maxMessagesPerRead, value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { task in
                        if channel.isActive { channel.read() } else { task.cancel() }
                    }
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
        }
        channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// Waits until the bridge closes the connection.
    func closed() async throws {
        try await channel.closeFuture.get()
    }

    /// - Parameter isReset: Whether to reset the connection, as a device that loses its network does, instead of closing it.
    func close(isReset: Bool) async {
        if isReset {
            try? await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try? await channel.close()
    }
}
