import Documents
import Gateway
import Storage

/// Reads an attachment's bytes in order, as the peer knows them: decompressed where it was told of the content.
struct AttachmentReader {
    /// How many bytes are read from the store at a time.
    private static let partSize = 128 << 10

    private let record: AttachmentRecord
    private let keyspace: Keyspace
    private var inflater: AttachmentInflater?
    private var offset: Int64 = 0

    init(_ record: AttachmentRecord, in keyspace: Keyspace, decompresses: Bool) throws {
        self.record = record
        self.keyspace = keyspace
        inflater = decompresses ? try AttachmentInflater() : nil
    }

    /// The next bytes; `nil` at the end.
    mutating func next(isolation: isolated (any Actor)? = #isolation) async throws -> [UInt8]? {
        while true {
            if inflater?.isHungry == false {
                guard inflater?.isFinished == false else { return nil }
                guard let piece = try inflater?.next(), !piece.isEmpty else { continue }
                return piece
            }
            guard offset < record.length else { return nil }
            let bytes = try await keyspace.bytes(of: record, from: offset, count: Self.partSize)
            guard !bytes.isEmpty else {
                throw RequestError(.unavailable, "The attachment \(record.digest) is cut short in the store; run `dualgauge check`")
            }
            offset += Int64(bytes.count)
            guard inflater != nil else { return bytes }
            inflater?.feed(bytes)
        }
    }
}
