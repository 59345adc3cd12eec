import Compression

/// Decompresses an attachment that is stored with `encoding: gzip`, piece by piece.
struct AttachmentInflater {
    private static let pieceSize = 128 << 10

    private let stream: InflateStream
    private var input: ArraySlice<UInt8> = []
    private var isFull = false

    /// - Throws: ``ZlibError`` when there is no memory.
    init() throws {
        stream = try InflateStream(.gzip)
    }

    var isFinished: Bool { stream.isFinished }

    /// Whether it needs more to go on.
    var isHungry: Bool { input.isEmpty && !isFull && !isFinished }

    /// Whether something follows the end.
    var hasRest: Bool { !input.isEmpty }

    mutating func feed(_ bytes: [UInt8]) {
        input += bytes
    }

    /// What comes of what it was fed, a piece of it.
    ///
    /// - Throws: ``ZlibError`` when the bytes are damaged.
    mutating func next() throws -> [UInt8] {
        var taken = 0
        let piece = try [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { room, count in
            try input.withUnsafeBytes { bytes in
                var rest = bytes
                count = try stream.decompress(&rest, into: UnsafeMutableRawBufferPointer(room))
                taken = bytes.count - rest.count
            }
        }
        input = input.dropFirst(taken)
        isFull = piece.count == Self.pieceSize
        return piece
    }
}
