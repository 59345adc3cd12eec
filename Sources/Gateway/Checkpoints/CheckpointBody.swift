import Documents
import Storage

/// What is understood of a checkpoint's body, which is its client's own affair.
struct CheckpointBody {
    /// Members by key, as they stand.
    private var members: [(key: String, member: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []

    /// - Returns: `nil` if it is no JSON object.
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

    /// How far a client has read of our feed. `lastSequence` is Couchbase Lite 1.x's word, `last_seq` PouchDB's, `source_last_seq` CouchDB's,
    /// `remote` that of 2.x+; a push has its own sequences there, which are far below ours.
    ///
    /// - Parameter origin: Where ours begin.
    func position(_ kind: LocalDocumentKind, from origin: SequenceNumber) -> SequenceNumber? {
        for text in places(kind) {
            if let position = FeedPosition(text), position.settled >= origin { return position.settled }
        }
        return nil
    }

    /// The places that it names, of whichever feed: numbers, the texts of strings, and the JSON of other values.
    func places(_ kind: LocalDocumentKind) -> [String] {
        let keys =
            kind == .local
            ? ["lastSequence", "last_seq", "source_last_seq"] : kind == .checkpoint ? ["remote"] : ["lastSequence", "local"]
        return keys.compactMap { key in
            guard var text = self[key] else { return nil }
            if text.count >= 2, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") { text = text.dropFirst().dropLast() }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// A 2.x+ client's body, with the half of its push or of its pull that stands here and that it does not speak of.
    ///
    /// Two replications of the default collection, one push and one pull, that are otherwise alike share one checkpoint document, and each
    /// writes its own half (docs/protocol/modern-2x.md#checkpoint-ids). A half that is kept too long does no harm: clients compare it with their
    /// own and take the lower.
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
