import Documents
import Gateway
import NIOHTTP1

/// Asks a server which revisions it lacks (docs/protocol/legacy-1x.md#_revs_diff).
enum RevsDiffQuery {
    /// Asks which of some leaves a server lacks. A leaf may be given several times, and is asked for once: CouchDB 3.4 reports the second mention
    /// of a revision that it has as missing.
    ///
    /// - Throws: ``ReplicationError``.
    static func missing(_ leaves: [LocalRevisionReader.Leaf], of remote: RemoteDatabase) async throws -> [ExactString: RevisionsDifference]
    {
        try read(try await remote.json(request(asked(leaves))))
    }

    static func asked(_ leaves: [LocalRevisionReader.Leaf]) -> [(id: String, revisions: [RevisionID])] {
        var asked: [(id: String, revisions: [RevisionID])] = []
        // Leaves of one document are not necessarily adjacent when they are retried.
        var places: [ExactString: Int] = [:]
        for leaf in leaves {
            if let place = places[ExactString(leaf.id)] {
                if !asked[place].revisions.contains(leaf.revision) { asked[place].revisions.append(leaf.revision) }
            } else {
                places[ExactString(leaf.id)] = asked.count
                asked.append((leaf.id, [leaf.revision]))
            }
        }
        return asked
    }

    static func request(_ revisions: [(id: String, revisions: [RevisionID])]) -> RemoteRequest {
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        for (index, item) in revisions.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONWriter.append(key: item.id, to: &bytes)
            bytes.append(UInt8(ascii: "["))
            for (index, revision) in item.revisions.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONWriter.append(revision, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        }
        bytes.append(UInt8(ascii: "}"))
        return RemoteRequest("_revs_diff", method: .POST, json: bytes)
    }

    /// The revisions that the server lacks, by document. The result may contain documents that were not asked for.
    ///
    /// - Throws: ``ReplicationError`` with code `upstream` if the text is not such a response.
    static func read(_ json: [UInt8]) throws -> [ExactString: RevisionsDifference] {
        var found: [ExactString: RevisionsDifference] = [:]
        do {
            try JSONReader.read(json, maximumDepth: 16) { reader in
                try reader.object(uniqueKeys: false) { key, value in
                    var missing: [RevisionID] = []
                    var ancestors: [RevisionID] = []
                    try value.object(uniqueKeys: false) { key, value in
                        if key == "missing" { missing = try list(&value) }
                        if key == "possible_ancestors" { ancestors = try list(&value) }
                    }
                    found[ExactString(try key.string())] = RevisionsDifference(missing: missing, possibleAncestors: ancestors)
                }
            }
        } catch {
            throw ReplicationError(.upstream, "The answer of _revs_diff is malformed", cause: error)
        }
        return found
    }

    private static func list(_ reader: inout JSONReader) throws -> [RevisionID] {
        var revisions: [RevisionID] = []
        try reader.array { element in
            if let revision = RevisionID(try element.string()) { revisions.append(revision) }
        }
        return revisions
    }
}
