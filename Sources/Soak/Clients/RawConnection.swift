import Foundation
import NIOCore
import NIOPosix

/// A TCP connection to the bridge that sends the bytes it is given, and reads as slowly as it likes.
final class RawConnection: Sendable {
    private let channel: any Channel

    /// - Parameter isSlow: Whether it reads so many bytes a second, and has hardly room for more.
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

    /// Returns when the bridge has closed it.
    func closed() async throws {
        try await channel.closeFuture.get()
    }

    /// - Parameter isReset: Whether the bridge gets a reset, as from a device that has lost its network; otherwise an ordinary end.
    func close(isReset: Bool) async {
        if isReset {
            try? await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try? await channel.close()
    }
}
