import Documents
import Gateway
import LegacyProtocol
import Storage

/// Writes `_all_docs` as Sync Gateway does.
struct AllDocsEncoder: Sendable {
    static let opening = Array("{\"rows\":[\n".utf8)

    let includesSequence: Bool
    private(set) var count = 0

    init(includesSequence: Bool) {
        self.includesSequence = includesSequence
    }

    /// - Parameters:
    ///   - details: Further members of `value`.
    ///   - document: The JSON of `doc`; `nil` to omit it.
    mutating func append(
        id: String, revision: String, sequence: SequenceNumber, isDeleted: Bool, details: AllDocsDetails?, document: SegmentedBody?,
        to body: inout SegmentedBody
    ) {
        body.append { appendHead(id, revision, sequence, isDeleted, details, to: &$0) }
        if let document {
            body.append { JSONWriter.append(raw: ",\"doc\":", to: &$0) }
            body.append(document)
        }
        body.append { JSONWriter.append(raw: "}\n", to: &$0) }
    }

    private mutating func appendHead(
        _ id: String, _ revision: String, _ sequence: SequenceNumber, _ isDeleted: Bool, _ details: AllDocsDetails?, to bytes: inout [UInt8]
    ) {
        begin(id, &bytes)
        JSONWriter.append(raw: ",\"id\":", to: &bytes)
        JSONWriter.append(id, to: &bytes)
        JSONWriter.append(raw: ",\"value\":{\"rev\":", to: &bytes)
        JSONWriter.append(revision, to: &bytes)
        if isDeleted { JSONWriter.append(raw: ",\"deleted\":true", to: &bytes) }
        details?.append(to: &bytes)
        JSONWriter.append(raw: "}", to: &bytes)
        if includesSequence {
            JSONWriter.append(raw: ",\"update_seq\":", to: &bytes)
            JSONWriter.append(Int(sequence.value), to: &bytes)
        }
    }

    /// Appends the row of a key without a document.
    mutating func appendMissing(_ key: String, to bytes: inout [UInt8]) {
        begin(key, &bytes)
        JSONWriter.append(raw: ",\"error\":\"not_found\",\"status\":404}\n", to: &bytes)
    }

    func appendClosing(counter: SequenceNumber, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "],\n\"total_rows\":\(count),\"update_seq\":\(counter)}".utf8)
    }

    private mutating func begin(_ key: String, _ bytes: inout [UInt8]) {
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        count += 1
        JSONWriter.append(raw: "{\"key\":", to: &bytes)
        JSONWriter.append(key, to: &bytes)
    }
}

/// Further members of a row of `_all_docs`, as in Sync Gateway: `channels=true`, `access=true`.
struct AllDocsDetails: Sendable {
    private let channels: [String]

    /// The channels that the document grants, by user; a role is named `role:NAME`.
    private let access: [(name: String, channels: [String])]

    init(_ document: DocumentView, in scope: FeedScope, _ options: AllDocsOptions) throws {
        channels = options.includesChannels ? try document.channels(in: scope) : []
        var given: [String: [String]] = [:]
        for grant in options.includesAccess ? try document.grants() : [] {
            guard case .channel(let channel, _) = grant.permission else { continue }
            given[grant.grantee.kind == .role ? "role:\(grant.grantee.name)" : grant.grantee.name, default: []].append(channel)
        }
        access = given.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) }
    }

    /// Appends the members of `value`, each after a comma; omits empty ones.
    func append(to bytes: inout [UInt8]) {
        if !channels.isEmpty {
            JSONWriter.append(raw: ",\"channels\":", to: &bytes)
            JSONValue.array(channels.map { .string($0) }).append(to: &bytes)
        }
        guard !access.isEmpty else { return }
        JSONWriter.append(raw: ",\"access\":", to: &bytes)
        JSONValue.object(access.map { JSONMember($0.name, .array($0.channels.map { .string($0) })) }).append(to: &bytes)
    }
}
