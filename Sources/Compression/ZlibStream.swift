import CZlib

/// A zlib stream. Its internal state points to its `z_stream`, so the `z_stream` is allocated at a fixed address.
struct ZlibStream: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>
    private let end: (UnsafeMutablePointer<z_stream>) -> Int32

    /// - Parameters:
    ///   - begin: The zlib function that initialises the stream.
    ///   - end: The zlib function that releases its memory.
    init(
        begin: (UnsafeMutablePointer<z_stream>) -> Int32, end: @escaping (UnsafeMutablePointer<z_stream>) -> Int32
    ) throws(ZlibError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = begin(stream)
        guard status == Z_OK else {
            let error = ZlibError(status, stream.pointee.msg)
            stream.deallocate()
            throw error
        }
        self.stream = stream
        self.end = end
    }

    deinit {
        _ = end(stream)
        stream.deallocate()
    }

    /// Calls a zlib function on the stream.
    func withState<Result>(_ call: (UnsafeMutablePointer<z_stream>) -> Result) -> Result {
        call(stream)
    }

    /// The error for a zlib status.
    func error(_ status: Int32) -> ZlibError {
        ZlibError(status, stream.pointee.msg)
    }

    /// Runs one zlib step from the start of `input` to the start of `room`, and removes the consumed bytes from `input`.
    ///
    /// - Returns: How many bytes were written, and the status of the step.
    func run(
        _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer,
        _ step: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> (count: Int, status: Int32) {
        let available = uInt(clamping: input.count)
        let space = uInt(clamping: room.count)
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = available
        stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = space
        let status = step(stream)
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(Int(available - stream.pointee.avail_in)))
        stream.pointee.next_in = nil
        return (Int(space - stream.pointee.avail_out), status)
    }

    /// The maximum compressed size of this many bytes in a complete stream.
    func bound(_ count: Int) -> Int {
        Int(deflateBound(stream, uLong(count)))
    }
}

/// The container format of deflated data.
package enum CompressionFormat: Sendable, Hashable {
    /// gzip, RFC 1952.
    case gzip

    /// Raw deflate, RFC 1951, with a window of `1 << bits` bytes: 9 to 15.
    case none(bits: Int32)

    /// zlib's encoding of the format.
    var windowBits: Int32 {
        switch self {
        case .gzip: 31
        case .none(let bits): -bits
        }
    }
}

/// An error of zlib.
package struct ZlibError: Error, Sendable, CustomStringConvertible {
    /// zlib's status, such as -3 for damaged data.
    package let status: Int32
    package let description: String

    init(_ status: Int32, _ message: UnsafePointer<CChar>?) {
        self.status = status
        description = message.map { "zlib: \(String(cString: $0))" } ?? "zlib status \(status)"
    }
}
