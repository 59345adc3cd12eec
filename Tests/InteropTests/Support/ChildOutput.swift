import Foundation

/// The output of a child process, as it arrives.
///
/// A socket pair, which other children do not inherit, read by a thread of its own.
struct ChildOutput {
    /// The child's end: to be closed here once the child has started.
    let writing: FileHandle
    let texts: AsyncStream<String>

    /// - Parameter isRead: Whether it is read; if not, writes to it fail.
    init(isRead: Bool = true) throws {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        let (texts, continuation) = AsyncStream.makeStream(of: String.self)
        self.texts = texts
        let reading = ends[0]
        guard isRead else {
            close(reading)
            continuation.finish()
            return
        }
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(reading, &buffer, buffer.count)
                guard count > 0 || count == -1 && errno == EINTR else { break }
                if count > 0 { continuation.yield(String(decoding: buffer[..<count], as: UTF8.self)) }
            }
            close(reading)
            continuation.finish()
        }
    }
}
