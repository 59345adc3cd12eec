import CZlib

/// One of zlib's streams. Its state points back at its `z_stream`, which stays where it is for as long as this lives.
struct ZlibStream: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>
    private let end: (UnsafeMutablePointer<z_stream>) -> Int32

    /// - Parameters:
    ///   - begin: zlib's function that creates the stream.
    ///   - end: zlib's function that gives its memory back.
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

    /// Calls another of zlib's functions.
    func withState<Result>(_ call: (UnsafeMutablePointer<z_stream>) -> Result) -> Result {
        call(stream)
    }

    /// What zlib says of a status.
    func error(_ status: Int32) -> ZlibError {
        ZlibError(status, stream.pointee.msg)
    }

    /// Lets zlib do a step: from the start of `input`, which is cut off as far as it was taken, to the start of `room`.
    ///
    /// - Returns: How many bytes were written, and what the step returned.
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

    /// The most bytes that this many make in a stream of their own.
    func bound(_ count: Int) -> Int {
        Int(deflateBound(stream, uLong(count)))
    }
}

/// What deflated bytes are wrapped in.
package enum CompressionFormat: Sendable, Hashable {
    /// gzip, RFC 1952.
    case gzip

    /// Nothing, RFC 1951, with a window of `1 << bits` bytes: 9 to 15.
    case none(bits: Int32)

    /// zlib's way of saying so.
    var windowBits: Int32 {
        switch self {
        case .gzip: 31
        case .none(let bits): -bits
        }
    }
}

/// What zlib says when it cannot go on.
package struct ZlibError: Error, Sendable, CustomStringConvertible {
    /// zlib's status, such as -3 for data that is damaged.
    package let status: Int32
    package let description: String

    init(_ status: Int32, _ message: UnsafePointer<CChar>?) {
        self.status = status
        description = message.map { "zlib: \(String(cString: $0))" } ?? "zlib status \(status)"
    }
}
