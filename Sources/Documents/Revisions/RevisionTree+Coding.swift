/// The stored form: a version byte, the number of revisions, then each revision in ascending order:
///
///     flags        1 byte, see `Flag`
///     generation   varint, the difference from the preceding entry; absent with `nextGeneration`
///     parent       varint, how many entries back the parent is; absent with `root` and `parentIsPrevious`
///     digest       varint length, then the digest: packed, two hex digits a byte, or as text with `textDigest`
///
/// A revision from Sync Gateway in an unbranched tree takes 18 bytes.
extension RevisionTree {
    private enum Flag {
        static let deleted: UInt8 = 1
        static let root: UInt8 = 2
        static let parentIsPrevious: UInt8 = 4
        static let nextGeneration: UInt8 = 8
        static let textDigest: UInt8 = 16
        static let all: UInt8 = 31
    }

    private static let formatVersion: UInt8 = 1

    /// The tree in a compact binary form. Equal trees have equal forms.
    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + entries.count * 23)
        bytes.append(Self.formatVersion)
        Varint.append(entries.count, to: &bytes)
        var generation = 0
        for (index, entry) in entries.enumerated() {
            let back = entry.parent == Self.none ? 0 : index - Int(entry.parent)
            let step = entry.id.generation - generation
            generation = entry.id.generation
            var flags: UInt8 = entry.isDeleted ? Flag.deleted : 0
            if back == 0 { flags |= Flag.root }
            if back == 1 { flags |= Flag.parentIsPrevious }
            if step == 1 { flags |= Flag.nextGeneration }
            if case .text = entry.id.storedDigest { flags |= Flag.textDigest }
            bytes.append(flags)
            if step != 1 { Varint.append(step, to: &bytes) }
            if back > 1 { Varint.append(back, to: &bytes) }
            switch entry.id.storedDigest {
            case .packed(let packed):
                bytes.append(packed.count)
                packed.append(to: &bytes)
            case .text(let text):
                Varint.append(text.count, to: &bytes)
                bytes.append(contentsOf: text)
            }
        }
        return bytes
    }

    /// Decodes a tree from its stored form.
    ///
    /// - Throws: ``DocumentError`` `badTree` if the bytes are malformed or were written by a newer version of this program.
    package init(encoded bytes: some Collection<UInt8>) throws(DocumentError) {
        let read = bytes.withContiguousStorageIfAvailable { Self.decode($0) } ?? Array(bytes).withUnsafeBufferPointer { Self.decode($0) }
        self.init(entries: try read.get())
    }

    private static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<[Entry], DocumentError> {
        var reader = ByteReader(bytes)
        guard let version = reader.byte(), version == formatVersion else {
            let found = bytes.first.map { "format \($0)" } ?? "nothing"
            return .failure(DocumentError(.badTree, "revision tree: \(found) where format \(formatVersion) is expected"))
        }
        // An entry takes at least three bytes. The check limits the allocation to the size of the input.
        guard let count = reader.varint(), count <= reader.remaining / 3 else {
            return .failure(.damagedTree(at: bytes.count - reader.remaining))
        }
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            guard let entry = decodeEntry(&reader, after: entries) else {
                return .failure(.damagedTree(at: bytes.count - reader.remaining))
            }
            if entry.parent != none { entries[Int(entry.parent)].isLeaf = false }
            entries.append(entry)
        }
        guard reader.remaining == 0 else { return .failure(.damagedTree(at: bytes.count - reader.remaining)) }
        return .success(entries)
    }

    private static func decodeEntry(_ reader: inout ByteReader, after entries: [Entry]) -> Entry? {
        guard let flags = reader.byte(), flags & ~Flag.all == 0 else { return nil }
        guard let step = flags & Flag.nextGeneration != 0 ? 1 : reader.varint(), step <= RevisionID.maximumGeneration else { return nil }
        var back = 0
        if flags & Flag.root == 0 {
            guard let steps = flags & Flag.parentIsPrevious != 0 ? 1 : reader.varint(), 1...max(1, entries.count) ~= steps else {
                return nil
            }
            back = steps
        }
        guard back <= entries.count, let length = reader.varint(), let digest = reader.slice(length) else { return nil }
        let generation = (entries.last?.id.generation ?? 0) + step
        guard let id = id(generation: generation, digest: digest, isText: flags & Flag.textDigest != 0) else { return nil }
        if let last = entries.last, !(last.id < id) { return nil }
        let parent = back == 0 ? none : Int32(entries.count - back)
        if parent != none, entries[Int(parent)].id.generation >= generation { return nil }
        return Entry(id: id, parent: parent, isDeleted: flags & Flag.deleted != 0, isLeaf: true)
    }

    private static func id(generation: Int, digest: UnsafeBufferPointer<UInt8>, isText: Bool) -> RevisionID? {
        if isText { return RevisionID.make(generation: generation, digest: digest) }
        guard 1...RevisionID.maximumGeneration ~= generation, let packed = PackedDigest(digest) else { return nil }
        return RevisionID(generation: generation, storedDigest: .packed(packed))
    }
}

extension DocumentError {
    fileprivate static func damagedTree(at offset: Int) -> DocumentError {
        DocumentError(.badTree, "revision tree: damaged at byte \(offset)")
    }
}
