import Documents
import Storage

/// Reads the members that the gateway interprets in a checkpoint's body. The rest of the body belongs to the client.
struct CheckpointBody {
    /// Members in their order, with their original bytes.
    private var members: [(key: String, member: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []

    /// - Returns: `nil` if `json` is not a JSON object.
    init?(_ json: [UInt8]) {
        var found: [(key: String, member: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
        do {
            try JSONReader.read(json) { reader in
                guard reader.kind == .object else { return }
                try reader.object(uniqueKeys: false) { key, value in
                    let range = try value.skip()
                    found.append((try key.string(), json[key.offset..<range.upperBound], json[range]))
                }
            }
        } catch {
            return nil
        }
        members = found
    }

    /// The position in this database's feed up to which the client has read. Each client has its own member for it: `lastSequence` (Couchbase Lite
    /// 1.x), `last_seq` (PouchDB), `source_last_seq` (CouchDB), `remote` (2.x+). A push checkpoint holds the client's own sequences in these
    /// members; they are far below this database's sequences.
    ///
    /// - Parameter origin: The first sequence of this database's feed.
    func position(_ kind: LocalDocumentKind, from origin: SequenceNumber) -> SequenceNumber? {
        for text in positions(kind) {
            if let position = FeedPosition(text), position.settled >= origin { return position.settled }
        }
        return nil
    }

    /// The positions that the body contains, of any feed: numbers, the contents of strings, and the JSON of other values.
    func positions(_ kind: LocalDocumentKind) -> [String] {
        let keys =
            kind == .local
            ? ["lastSequence", "last_seq", "source_last_seq"] : kind == .checkpoint ? ["remote"] : ["lastSequence", "local"]
        return keys.compactMap { key in
            guard var text = self[key] else { return nil }
            if text.count >= 2, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") { text = text.dropFirst().dropLast() }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// Merges a 2.x+ client's new body with the stored one: keeps the stored push or pull half that the new body omits.
    ///
    /// Two replications of the default collection that differ only in direction share one checkpoint document, and each writes its own half
    /// (docs/protocol/modern-2x.md#checkpoint-ids). An outdated half does no harm: clients compare it with their own checkpoint and use the lower.
    static func merging(_ json: [UInt8], into stored: [UInt8]) -> [UInt8] {
        guard let new = CheckpointBody(json), let old = CheckpointBody(stored), let end = json.lastIndex(of: UInt8(ascii: "}")) else {
            return json
        }
        var kept: [ArraySlice<UInt8>] = []
        if new["local"] == nil, new["localCompleted"] == nil {
            kept += old.members.filter { $0.key == "local" || $0.key == "localCompleted" }.map(\.member)
        }
        if new["remote"] == nil { kept += old.members.filter { $0.key == "remote" }.map(\.member) }
        guard !kept.isEmpty else { return json }
        var merged = Array(json[..<end])
        for (index, member) in kept.enumerated() {
            if index > 0 || !new.members.isEmpty { merged.append(UInt8(ascii: ",")) }
            merged += member
        }
        merged += json[end...]
        return merged
    }

    private subscript(key: String) -> ArraySlice<UInt8>? {
        members.last { $0.key == key }?.value
    }
}
