import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// Makes accepted channels into ``HTTPConnection``s, for Hummingbird's server.
struct ConnectionChannel: ServerChildChannel {
    let settings: ConnectionSettings

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTPConnection> {
        channel.eventLoop.makeCompletedFuture {
            // Finds clients that vanished without a word while nothing is sent to them.
            try channel.syncOptions?.setOption(.socketOption(.so_keepalive), value: 1)
            // The buffer of the last read is kept for the next one; most connections never read more than a request's head at once. It grows.
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 64 * 1024))
            let pipeline = channel.pipeline.syncOperations
            if let tls = settings.tls {
                try pipeline.addHandler(NIOSSLServerHandler(context: tls.current))
            }
            let connection = HTTPConnection(channel: channel, settings: settings, logger: logger)
            try HTTPConnectionHandler(connection: connection, limits: settings.limits).install(in: pipeline)
            return connection
        }
    }

    func handle(value: HTTPConnection, logger: Logger) async {
        await value.run()
    }
}
