import Coordination
import NIOCore
import NIOPosix
import NIOSSL

@testable import HTTP

/// A TCP client that sends any bytes and reads only on request: unread bytes hold the server back.
final class RawClient: Sendable {
    private let channel: any Channel
    private let queue: InboundQueue<ByteBuffer>
    private let pipe: OutboundBuffer
    private let unread = Lock<[UInt8]>([])

    private init(channel: any Channel, queue: InboundQueue<ByteBuffer>, pipe: OutboundBuffer) {
        self.channel = channel
        self.queue = queue
        self.pipe = pipe
    }

    /// - Parameter version: The newest TLS version that it supports.
    static func connect(
        port: Int, tls: ClientTLS? = nil, version: TLSVersion? = nil, receiveBuffer: Int? = nil
    ) async throws -> RawClient {
        let queue = InboundQueue<ByteBuffer>(capacity: 64 * 1024)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let receiveBuffer {
                        try channel.syncOptions?.setOption(ChannelOptions.socketOption(.so_rcvbuf), value: receiveBuffer)
                    }
                    if let tls {
                        var context = try tls.context()
                        if let version {
                            var configuration = tls.configuration
                            configuration.minimumTLSVersion = version
                            configuration.maximumTLSVersion = version
                            context = try NIOSSLContext(configuration: configuration)
                        }
                        try channel.pipeline.syncOperations.addHandler(tls.handler(context, host: "localhost"))
                    }
                    try channel.pipeline.syncOperations.addHandler(RawHandler(queue: queue))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let pipe = OutboundBuffer(channel: channel)
        channel.closeFuture.whenComplete { _ in pipe.fail(ChannelError.ioOnClosedChannel) }
        return RawClient(channel: channel, queue: queue, pipe: pipe)
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws { try await pipe.write(ByteBuffer(bytes: bytes)) }

    /// Reads until the text contains `suffix`, or to the end, which is marked by `<end>`. Later bytes of the same piece are kept for the
    /// next read.
    func read(until suffix: String) async throws -> String {
        var bytes: [UInt8] = []
        let mark = Array(suffix.utf8)
        while true {
            if let range = bytes.firstRange(of: mark) {
                unread.withLock { $0 = Array(bytes[range.upperBound...]) }
                return String(decoding: bytes[..<range.upperBound], as: UTF8.self)
            }
            guard let buffer = try await next() else { return String(decoding: bytes, as: UTF8.self) + "<end>" }
            bytes += buffer.readableBytesView
        }
    }

    /// Reads until the server closes, then closes too.
    func readToEnd() async throws -> String {
        String(decoding: try await bytesToEnd(), as: UTF8.self)
    }

    func bytesToEnd() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try await next() { bytes += buffer.readableBytesView }
        close()
        return bytes
    }

    /// Reads exactly `count` bytes, or fewer at the end.
    func read(count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let buffer = try await next() { bytes += buffer.readableBytesView }
        unread.withLock { $0 = Array(bytes.dropFirst(count)) }
        return Array(bytes.prefix(count))
    }

    /// The received bytes.
    func next() async throws -> ByteBuffer? {
        let rest = unread.withLock { unread in
            defer { unread = [] }
            return unread
        }
        return rest.isEmpty ? try await queue.next() : ByteBuffer(bytes: rest)
    }

    func closeOutput() async throws { try await channel.close(mode: .output) }

    func close() { channel.close(promise: nil) }
}

private final class RawHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let queue: InboundQueue<ByteBuffer>
    private var isPaused = false
    private var missedRead = false

    init(queue: InboundQueue<ByteBuffer>) {
        self.queue = queue
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        queue.onResume { [eventLoop = context.eventLoop] in
            eventLoop.execute {
                let (handler, context) = bound.value
                handler.isPaused = false
                guard handler.missedRead else { return }
                handler.missedRead = false
                context.read()
            }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if !queue.push([buffer], size: buffer.readableBytes) { isPaused = true }
    }

    func read(context: ChannelHandlerContext) {
        if isPaused { missedRead = true } else { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { queue.finish() }
    }

    func channelInactive(context: ChannelHandlerContext) { queue.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { queue.finish() }
}
