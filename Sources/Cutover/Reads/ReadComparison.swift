/// A difference between the old server's response to a read and the bridge's.
package struct ReadDifference: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// One server refuses the request, or does not find its document.
        case status
        /// The old server shows a document that the bridge does not show.
        case missing
        /// The bridge shows a document that the old server does not show.
        case extra
        /// The bridge does not have the revision.
        case revision
        /// The document is deleted at one server alone.
        case deletion
        case body
        /// Names or digests of attachments.
        case attachments
    }

    package let kind: Kind

    /// The document's ID; empty for a difference of the whole response.
    package let id: String

    /// Both sides.
    package let detail: String

    package init(_ kind: Kind, id: String = "", _ detail: String) {
        self.kind = kind
        self.id = id
        self.detail = detail
    }
}

/// Compares responses to the same read.
package enum ReadComparison {
    /// The documents of the old server that the bridge does not show in the same way.
    package static func differences(old: ReadView, here: ReadView) -> [ReadDifference] {
        var found: [ReadDifference] = []
        for (id, entries) in old.entries {
            let own = here.entries[id] ?? []
            for entry in entries { found += differences(id, entry, own) }
        }
        return found
    }

    /// The rows of the bridge's whole feed whose documents the old server's whole feed does not have.
    ///
    /// - Parameter fence: The end of the bridge's feed before the old server was asked. Later rows may be newer than its response.
    package static func extras(old: ReadView, here: ReadView, upTo fence: Int64) -> [ReadDifference] {
        here.entries.compactMap { id, entries in
            guard old.entries[id] == nil, let entry = entries.first(where: { !$0.isGone && $0.sequence ?? .max <= fence }) else {
                return nil
            }
            return ReadDifference(.extra, id: id, "\(entry.revision) here, none at the old server")
        }
    }

    private static func differences(_ id: String, _ old: ReadView.Entry, _ own: [ReadView.Entry]) -> [ReadDifference] {
        let shown = own.filter { !$0.isGone }
        guard !old.isGone else {
            // The same error, or a removal, which the bridge may have told before.
            guard let entry = shown.first else { return [] }
            return [ReadDifference(.extra, id: id, "\(entry.revision) here, none at the old server")]
        }
        guard let first = shown.first else { return [ReadDifference(.missing, id: id, "\(old.revision) at the old server, none here")] }
        guard let match = shown.first(where: { $0.revision == old.revision }) else {
            return [ReadDifference(.revision, id: id, "\(old.revision) at the old server, \(first.revision) here")]
        }
        if match.isDeleted != old.isDeleted {
            return [ReadDifference(.deletion, id: id, "\(old.revision) is deleted \(old.isDeleted ? "at the old server" : "here") alone")]
        }
        var found: [ReadDifference] = []
        if match.body != old.body { found.append(ReadDifference(.body, id: id, "\(old.revision) has another body")) }
        if let detail = attachments(old.attachments, match.attachments) {
            found.append(ReadDifference(.attachments, id: id, "\(old.revision): \(detail)"))
        }
        return found
    }

    private static func attachments(_ old: [String: String], _ here: [String: String]) -> String? {
        for name in Set(old.keys).symmetricDifference(here.keys).sorted() {
            return "\(name) is \(old[name] != nil ? "at the old server" : "here") alone"
        }
        for (name, digest) in old.sorted(by: { $0.key < $1.key }) {
            // One side may lack the digest, or use another hash algorithm.
            guard let own = here[name], !digest.isEmpty, !own.isEmpty, digest.prefix(4) == own.prefix(4), digest != own else { continue }
            return "\(name) has \(digest) at the old server, \(own) here"
        }
        return nil
    }
}
