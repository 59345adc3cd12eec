import Compression
import Documents
package import Gateway
package import Storage

/// Reads an attachment's bytes in order, in the form that was announced to the peer: decompressed if the content was announced.
package struct AttachmentReader {
    /// The number of bytes in one read from the store.
    private static let partSize = 128 << 10

    private let record: AttachmentRecord
    private let keyspace: Keyspace
    private var inflater: AttachmentInflater?
    private var offset: Int64 = 0

    package init(_ record: AttachmentRecord, in keyspace: Keyspace, decompresses: Bool) throws {
        self.record = record
        self.keyspace = keyspace
        inflater = decompresses ? try AttachmentInflater() : nil
    }

    /// The next bytes; `nil` at the end.
    mutating func next(isolation: isolated (any Actor)? = #isolation) async throws -> [UInt8]? {
        while true {
            if inflater?.needsInput == false {
                guard inflater?.isFinished == false else { return nil }
                guard let piece = try inflater?.next(), !piece.isEmpty else { continue }
                return piece
            }
            guard offset < record.length else { return nil }
            let bytes = try await keyspace.bytes(of: record, from: offset, count: Self.partSize)
            guard !bytes.isEmpty else {
                throw BLIPRequestError(.unavailable, "The attachment \(record.digest) is cut short in the store; run `dualgauge check`")
            }
            offset += Int64(bytes.count)
            guard inflater != nil else { return bytes }
            inflater?.feed(bytes)
        }
    }
}

/// Decompresses an attachment that is stored with `encoding: gzip`, in pieces.
struct AttachmentInflater {
    private static let pieceSize = 128 << 10

    private let stream: InflateStream
    private var input: ArraySlice<UInt8> = []
    private var isFull = false

    /// - Throws: ``ZlibError`` if memory is exhausted.
    init() throws {
        stream = try InflateStream(.gzip)
    }

    var isFinished: Bool { stream.isFinished }

    /// Whether decompression needs more input.
    var needsInput: Bool { input.isEmpty && !isFull && !isFinished }

    /// Whether there is input after the end of the compressed data.
    var hasTrailingInput: Bool { !input.isEmpty }

    mutating func feed(_ bytes: [UInt8]) {
        input += bytes
    }

    /// The next piece of decompressed output.
    ///
    /// - Throws: ``ZlibError`` if the input is damaged.
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
