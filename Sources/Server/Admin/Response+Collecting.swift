import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

extension Response {
    /// The whole body. For small answers that stay in this process.
    func collected() async throws -> [UInt8] {
        let collector = Collector()
        try await body.write(collector)
        return collector.bytes.withLock { $0 }
    }
}

private final class Collector: ResponseBodyWriter {
    let bytes = Mutex<[UInt8]>([])

    func write(_ buffer: ByteBuffer) async throws {
        bytes.withLock { $0 += buffer.readableBytesView }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
