import BLIP
import Documents
import ModernProtocol

/// A row of the server's `changes` (docs/protocol/modern-2x.md#changes).
struct RemoteChange: Sendable, Hashable {
    /// The JSON text of the sequence, as the server wrote it.
    let sequence: String
    let id: String
    let revision: String
    var isDeleted = false

    /// Whether the user has lost access to the document.
    var isRemoved = false

    /// The server's name for the revision; `nil` if it is invalid. A version may come with its whole vector.
    func name(_ subprotocol: Subprotocol) -> RevisionName? {
        guard subprotocol.hasVersions, revision.utf8.contains(UInt8(ascii: "@")) else { return RevisionID(revision).map { .tree($0) } }
        return Version(revision.prefix { $0 != "," && $0 != ";" }).map { .version($0) }
    }

    /// The rows of a message; empty for the caught-up message.
    static func rows(of request: BLIPMessage, limit: Int) throws(BLIPRequestError) -> [RemoteChange] {
        let body = request.body
        guard !body.isEmpty else { return [] }
        do {
            return try JSONReader.read(body) { reader in
                var rows: [RemoteChange] = []
                guard !reader.isNull else { return rows }
                try reader.array { row in
                    guard rows.count < limit else { throw BLIPRequestError(.tooLarge, "changes has more than \(limit) rows") }
                    rows.append(try RemoteChange(&row))
                }
                return rows
            }
        } catch let error as BLIPRequestError {
            throw error
        } catch {
            throw BLIPRequestError(.badRequest, "The body of changes is malformed: \(error)")
        }
    }

    init(sequence: String, id: String, revision: String, isDeleted: Bool = false, isRemoved: Bool = false) {
        self.sequence = sequence
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.isRemoved = isRemoved
    }

    private init(_ reader: inout JSONReader) throws {
        var sequence: String?, id: String?, revision: String?
        var flags = 0
        var position = 0
        try reader.array { value in
            switch position {
            case 0: sequence = String(decoding: try value.raw(), as: UTF8.self)
            case 1: id = try value.string()
            case 2: revision = try value.string()
            case 3 where value.kind == .bool: flags = try value.bool() ? 1 : 0
            case 3 where value.kind == .number: flags = try value.int()
            default: break
            }
            position += 1
        }
        guard let sequence, let id, let revision, sequence.utf8.count <= 1_000 else { throw reader.error(.wrongType) }
        self.init(sequence: sequence, id: id, revision: revision)
        // 5 is a tombstone that was also removed from the user's channels; it is sent as a tombstone.
        isRemoved = flags & 6 != 0 && flags != 5
        isDeleted = flags & 1 != 0 && !isRemoved
    }
}
