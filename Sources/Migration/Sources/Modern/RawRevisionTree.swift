import Documents

/// A revision tree in the format of Couchbase Lite 2.x and 3.x (LiteCore, RawRevTree.cc): revisions, the current one first, an empty one, and the
/// revisions of remote databases, which are ignored here.
struct RawRevisionTree {
    /// Error of a malformed tree.
    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    /// The current revision first.
    private(set) var revisions: [RawRevision] = []

    private static let maximumCount = 0xffff

    /// - Throws: ``Malformed``.
    init(_ bytes: ArraySlice<UInt8>) throws(Malformed) {
        var rest = bytes
        while true {
            guard rest.count >= 4 else { throw Malformed(description: "the revision tree ends too early") }
            let size = Self.bigEndian(rest.prefix(4))
            guard size > 0 else { break }
            guard size <= rest.count, revisions.count < Self.maximumCount else {
                throw Malformed(description: "a revision of the tree is longer than the tree")
            }
            revisions.append(try Self.revision(rest.prefix(size), number: revisions.count))
            rest = rest.dropFirst(size)
        }
        for revision in revisions {
            guard let parent = revision.parent else { continue }
            guard revisions.indices.contains(parent), revisions[parent].id.generation < revision.id.generation else {
                throw Malformed(description: "the parent of \(revision.id) is not in the tree, or is not older")
            }
        }
        guard !revisions.isEmpty else { throw Malformed(description: "the revision tree is empty") }
    }

    /// Sets the current revision's body, which the database stores outside of the tree.
    mutating func setCurrentBody(_ body: ArraySlice<UInt8>) {
        revisions[0].body = body
    }

    /// The IDs of a revision and its ancestors, newest first.
    func history(of index: Int) -> [RevisionID] {
        var history: [RevisionID] = []
        var next: Int? = index
        while let index = next {
            history.append(revisions[index].id)
            next = revisions[index].parent
        }
        return history
    }

    private static func revision(_ bytes: ArraySlice<UInt8>, number: Int) throws(Malformed) -> RawRevision {
        let place = "revision \(number) of the tree"
        guard bytes.count >= 8 else { throw Malformed(description: "\(place) is too short") }
        let start = bytes.startIndex
        let parent = Int(bytes[start + 4]) << 8 | Int(bytes[start + 5])
        let flags = bytes[start + 6]
        let idLength = Int(bytes[start + 7])
        guard let id = RevisionID(packed: bytes.dropFirst(8).prefix(idLength)), bytes.count >= 8 + idLength else {
            throw Malformed(description: "\(place) has a malformed ID")
        }
        // The revision's sequence precedes its body.
        let rest = bytes.dropFirst(8 + idLength)
        guard let sequenceEnd = rest.prefix(10).firstIndex(where: { $0 < 0x80 }) else {
            throw Malformed(description: "\(place) ends too early")
        }
        return RawRevision(
            id: id, parent: parent == 0xffff ? nil : parent, isDeleted: flags & 0x01 != 0, isLeaf: flags & 0x02 != 0,
            body: flags & 0x80 != 0 ? rest[(sequenceEnd + 1)...] : nil)
    }

    private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}

/// A revision in a revision tree of Couchbase Lite 2.x and 3.x (LiteCore, RawRevTree.hh).
struct RawRevision {
    let id: RevisionID

    /// Index of the parent revision.
    let parent: Int?
    let isDeleted: Bool
    let isLeaf: Bool

    /// Its body in Fleece; `nil` if the tree lacks it.
    var body: ArraySlice<UInt8>?
}

extension RevisionID {
    /// Decodes LiteCore's binary form of a revision ID: the generation as a varint, and the digest (RevID.cc). `nil` for other bytes, such as
    /// those of a version vector, which begin with a zero.
    init?(packed bytes: ArraySlice<UInt8>) {
        var generation = 0
        var shift = 0
        var rest = bytes
        while let next = rest.popFirst() {
            guard shift < 49 else { return nil }
            generation |= Int(next & 0x7f) << shift
            shift += 7
            if next < 0x80 { break }
        }
        guard generation > 0, !rest.isEmpty else { return nil }
        var text = Array("\(generation)-".utf8)
        for byte in rest {
            for digit in [byte >> 4, byte & 15] { text.append(digit < 10 ? digit + 0x30 : digit + 0x57) }
        }
        self.init(utf8: text)
    }
}
