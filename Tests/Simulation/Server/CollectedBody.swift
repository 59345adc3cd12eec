import Coordination
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Collects a response's body in memory.
final class CollectedBody: ResponseBodyWriter, Sendable {
    private let collected = Lock<[UInt8]>([])

    var bytes: [UInt8] { collected.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws {
        collected.withLock { $0 += buffer.readableBytesView }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
