import Crypto

/// Deterministic IDs for revisions created here: equal changes get equal IDs.
package enum RevisionDigest {
    /// The ID that Sync Gateway computes for a revision written through its REST API (db/revision.go, CreateRevID).
    ///
    /// The ID is the MD5 of the length of the parent's ID, that ID, and the canonical JSON of the body, for a tombstone with its
    /// `"_deleted": true`. Attachments are not covered.
    ///
    /// - Parameters:
    ///   - parent: The parent revision; nil for a document's first revision.
    ///   - body: The user's members as a JSON object.
    ///   - isDeleted: Whether the new revision is a tombstone.
    /// - Throws: ``DocumentError``.
    package static func syncGateway(parent: RevisionID?, body: [UInt8], isDeleted: Bool) throws -> RevisionID {
        let json = try DocumentError.reading {
            isDeleted ? try CanonicalJSON.encodeTombstone(body, style: .syncGateway) : try CanonicalJSON.encode(body, style: .syncGateway)
        }
        var input = text(parent)
        input.insert(UInt8(truncatingIfNeeded: input.count), at: 0)
        input.append(contentsOf: json)
        return RevisionID(generation: try generation(after: parent), hash: hash(input, Insecure.MD5.self))
    }

    /// The ID that Couchbase Lite 2.0 to 3.x computes for a revision (TreeDocument.cc, generateDocRevID).
    ///
    /// The ID is the SHA-1 of the length of the parent's ID (at most 255), that ID, one byte that is 1 for a tombstone, and the canonical
    /// JSON of the body.
    ///
    /// - Throws: ``DocumentError``.
    package static func liteCore(parent: RevisionID?, body: [UInt8], isDeleted: Bool) throws -> RevisionID {
        let json = try DocumentError.reading { try CanonicalJSON.encode(body, style: .liteCore) }
        var input = Array(text(parent).prefix(255))
        input.insert(UInt8(input.count), at: 0)
        input.append(isDeleted ? 1 : 0)
        input.append(contentsOf: json)
        return RevisionID(generation: try generation(after: parent), hash: hash(input, Insecure.SHA1.self))
    }

    /// The tree ID for a 4.x client's revision: MD5 of the parent's ID and the version, which is unique.
    ///
    /// - Throws: ``DocumentError``.
    package static func version(parent: RevisionID?, version: Version) throws -> RevisionID {
        var input = text(parent)
        input.append(0x0a)
        version.append(to: &input)
        return RevisionID(generation: try generation(after: parent), hash: hash(input, Insecure.MD5.self))
    }

    /// The ID of a contentless child of `parent` that links it to another revision: MD5 of both IDs.
    ///
    /// - Throws: ``DocumentError``.
    package static func link(_ parent: RevisionID, to other: RevisionID) throws -> RevisionID {
        let input = text(parent) + [0x0a] + text(other)
        return RevisionID(generation: try generation(after: parent), hash: hash(input, Insecure.MD5.self))
    }

    private static func text(_ parent: RevisionID?) -> [UInt8] {
        var bytes: [UInt8] = []
        parent?.append(to: &bytes)
        return bytes
    }

    private static func generation(after parent: RevisionID?) throws(DocumentError) -> Int {
        guard let parent else { return 1 }
        guard parent.generation < RevisionID.maximumGeneration else {
            throw DocumentError(.badRevisionID, "Invalid revision ID: nothing can follow \(parent)")
        }
        return parent.generation + 1
    }

    private static func hash<Function: HashFunction>(_ bytes: [UInt8], _ function: Function.Type) -> Function.Digest {
        var hasher = Function()
        bytes.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        return hasher.finalize()
    }
}
