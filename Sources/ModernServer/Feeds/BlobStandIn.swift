import Documents

/// An entry of `_attachments` that stands for a blob within the body: its name is `blob_` and a JSON pointer to the blob
/// (docs/protocol/modern-2x.md#stand-ins).
struct BlobStandIn {
    private static let prefix = "blob_"

    /// Bytes, because that is what pointers and keys are compared by.
    private let pointer: Substring.UTF8View

    /// `nil` if an entry of this name stands for nothing but itself.
    init?(name: String) {
        guard name.utf8.starts(with: "blob_/".utf8) else { return nil }
        pointer = Substring(name).utf8.dropFirst(Self.prefix.utf8.count)
    }

    /// Whether LiteCore finds the blob, and so takes the entry away again. It does not undo the escapes that it has written itself, and
    /// stops before a last key that is empty (Fleece, `Path::evalJSONPointer`).
    var isFoundByLiteCore: Bool {
        !pointer.contains(UInt8(ascii: "~")) && pointer.last != UInt8(ascii: "/")
    }

    /// A name under which LiteCore takes the entry away unseen: that of a stand-in of Couchbase Lite 2.0, `blob_` and a number.
    var numberedName: String {
        "\(Self.prefix)0\(Substring(pointer))"
    }

    /// The digest of the blob that the pointer leads to; `nil` if it leads to none.
    func digest(in body: [UInt8]) throws -> AttachmentDigest? {
        let keys = pointer.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Self.unescaped)
        return try JSONReader.read(body) { try Self.digest(at: keys[...], &$0) }
    }

    /// RFC 6901, section 4: `~1` is a slash, `~0` a tilde.
    private static func unescaped(_ token: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var isEscape = false
        for byte in token {
            switch byte {
            case UInt8(ascii: "~"): isEscape = true
            case UInt8(ascii: "1") where isEscape: bytes.append(UInt8(ascii: "/"))
            case UInt8(ascii: "0") where isEscape: bytes.append(UInt8(ascii: "~"))
            default: bytes.append(byte)
            }
            if byte != UInt8(ascii: "~") { isEscape = false }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digest(at keys: ArraySlice<String>, _ reader: inout JSONReader) throws -> AttachmentDigest? {
        guard let key = keys.first else { return try digest(of: &reader) }
        var digest: AttachmentDigest?
        switch reader.kind {
        case .object:
            try reader.object(uniqueKeys: false) { name, value in
                if name.matches(key.utf8) { digest = try Self.digest(at: keys.dropFirst(), &value) }
            }
        case .array:
            var index = 0
            try reader.array { value in
                if String(index) == key { digest = try Self.digest(at: keys.dropFirst(), &value) }
                index += 1
            }
        default: break
        }
        return digest
    }

    private static func digest(of reader: inout JSONReader) throws -> AttachmentDigest? {
        guard reader.kind == .object else { return nil }
        var isBlob = false
        var digest: AttachmentDigest?
        try reader.object(uniqueKeys: false) { key, value in
            guard value.kind == .string else { return }
            if key == "@type" {
                isBlob = try value.string() == "blob"
            } else if key == "digest" {
                digest = AttachmentDigest(try value.string())
            }
        }
        return isBlob ? digest : nil
    }
}

extension AttachmentSet {
    /// The entries as a client takes them that knows blobs by the body alone: it drops those that stand for blobs, and would keep one
    /// that it cannot follow, as an attachment more. Such a one gets a name by which it is dropped, too. One whose digest is another
    /// than its blob's stays: somebody has changed the attachment since.
    ///
    /// The entry cannot be left out instead: LiteCore takes every blob for missing whose digest is not among the entries.
    func namedForLiteCore(_ body: [UInt8]) throws -> AttachmentSet {
        var set = self
        for (index, entry) in entries.enumerated() {
            guard let standIn = BlobStandIn(name: entry.name), !standIn.isFoundByLiteCore, let digest = entry.digest,
                try standIn.digest(in: body) == digest
            else { continue }
            set.entries[index].name = standIn.numberedName
        }
        return set
    }
}
