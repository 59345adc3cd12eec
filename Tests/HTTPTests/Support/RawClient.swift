import NIOCore
import NIOPosix
import NIOSSL

@testable import HTTP

/// A TCP client that sends any bytes and reads what it is told to, no more: nobody reading holds the server back.
final class RawClient: Sendable {
    private let channel: any Channel
    private let queue: InboundQueue<ByteBuffer>
    private let pipe: OutboundPipe

    private init(channel: any Channel, queue: InboundQueue<ByteBuffer>, pipe: OutboundPipe) {
        self.channel = channel
        self.queue = queue
        self.pipe = pipe
    }

    static func connect(port: Int, tls: ClientTLS? = nil) async throws -> RawClient {
        let queue = InboundQueue<ByteBuffer>(capacity: 64 * 1024)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(tls.handler(tls.context(), host: "localhost"))
                    }
                    try channel.pipeline.syncOperations.addHandler(RawHandler(queue: queue))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawClient(channel: channel, queue: queue, pipe: OutboundPipe(channel: channel))
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws { try await pipe.write(ByteBuffer(bytes: bytes)) }

    /// Reads on until `text` ends in `suffix`, or to the end; the connection's end is told by `<end>`.
    func read(until suffix: String) async throws -> String {
        var text = ""
        while !text.contains(suffix) {
            guard let buffer = try await queue.next() else { return text + "<end>" }
            text += String(buffer: buffer)
        }
        return text
    }

    /// Reads to the end of the connection.
    func readToEnd() async throws -> String {
        String(decoding: try await bytesToEnd(), as: UTF8.self)
    }

    func bytesToEnd() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try await queue.next() { bytes += buffer.readableBytesView }
        return bytes
    }

    /// Reads exactly `count` bytes, or fewer at the end; what comes after them in the same piece is lost.
    func read(count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let buffer = try await queue.next() { bytes += buffer.readableBytesView }
        return bytes
    }

    func next() async throws -> ByteBuffer? { try await queue.next() }

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
