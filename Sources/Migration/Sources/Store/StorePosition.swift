import Storage

/// How far each collection of a store has been read: `1:1000000000017,2:1000000000004`.
struct StorePosition: Sendable, Equatable {
    private var sequences: [Int64: Int64] = [:]

    /// - Throws: ``SourceError`` with code `changed` if the cursor is no store's.
    init(_ cursor: SourceCursor?) throws(SourceError) {
        for part in cursor?.rawValue.split(separator: ",") ?? [] {
            let numbers = part.split(separator: ":").map { Int64($0) }
            guard numbers.count == 2, let key = numbers[0], let sequence = numbers[1] else {
                throw SourceError(.changed, "\"\(cursor?.rawValue ?? "")\" is no place in a store; begin anew")
            }
            sequences[key] = sequence
        }
    }

    subscript(collection: CollectionKey) -> Sequence {
        get { Sequence(sequences[collection.value] ?? 0) }
        set { sequences[collection.value] = newValue.value }
    }

    var cursor: SourceCursor {
        SourceCursor(rawValue: sequences.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ","))
    }
}
