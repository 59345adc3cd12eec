import Crypto

/// The IDs of revisions that are made here: the same change gives the same ID, whoever makes it.
public enum RevisionDigest {
    /// The ID that Sync Gateway gives a revision that is written through its REST API: MD5 over the length of the parent's ID, that ID,
    /// and the canonical JSON of the body, for a tombstone with its `"_deleted": true` (db/revision.go, CreateRevID). Attachments are not
    /// covered.
    ///
    /// - Parameters:
    ///   - parent: The revision that the new one follows; nil for a document's first.
    ///   - body: The user's members as a JSON object.
    ///   - isDeleted: Whether the new revision is a tombstone.
    /// - Throws: ``DocumentError``.
    public static func syncGateway(parent: RevisionID?, body: [UInt8], isDeleted: Bool) throws -> RevisionID {
        let json = try DocumentError.reading {
            isDeleted ? try CanonicalJSON.encodeTombstone(body, style: .syncGateway) : try CanonicalJSON.encode(body, style: .syncGateway)
        }
        var input = text(parent)
        input.insert(UInt8(truncatingIfNeeded: input.count), at: 0)
        input.append(contentsOf: json)
        return RevisionID(generation: try generation(after: parent), hash: hash(input, Insecure.MD5.self))
    }

    /// The ID that Couchbase Lite 2.0 to 3.x gives a revision: SHA-1 over the length of the parent's ID (at most 255), that ID, one byte
    /// for whether it is a tombstone, and the canonical JSON of the body (TreeDocument.cc, generateDocRevID).
    ///
    /// - Throws: ``DocumentError``.
    public static func liteCore(parent: RevisionID?, body: [UInt8], isDeleted: Bool) throws -> RevisionID {
        let json = try DocumentError.reading { try CanonicalJSON.encode(body, style: .liteCore) }
        var input = Array(text(parent).prefix(255))
        input.insert(UInt8(input.count), at: 0)
        input.append(isDeleted ? 1 : 0)
        input.append(contentsOf: json)
        return RevisionID(generation: try generation(after: parent), hash: hash(input, Insecure.SHA1.self))
    }

    /// The ID that a revision of a 4.x client gets in the tree: MD5 over the parent's ID and the version, of which there is only one.
    ///
    /// - Throws: ``DocumentError``.
    public static func version(parent: RevisionID?, version: Version) throws -> RevisionID {
        var input = text(parent)
        input.append(0x0a)
        version.append(to: &input)
        return RevisionID(generation: try generation(after: parent), hash: hash(input, Insecure.MD5.self))
    }

    /// The ID of a revision without content of its own, which says of its parent where that is led to: MD5 over both IDs.
    ///
    /// - Throws: ``DocumentError``.
    public static func link(_ parent: RevisionID, to other: RevisionID) throws -> RevisionID {
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
