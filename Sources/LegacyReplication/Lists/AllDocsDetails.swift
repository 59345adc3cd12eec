import Documents
import Gateway
import Storage

/// What a row of `_all_docs` tells of its document beside the revision, as Sync Gateway has it: `channels=true`, `access=true`.
struct AllDocsDetails: Sendable {
    private let channels: [String]

    /// Who was given which channels by the document; a role as `role:NAME`.
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

    /// Appends members of `value`, each with a comma before it; none that is empty.
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
