import Documents

/// An `_attachments` entry that represents a blob of the body. Its name is `blob_` followed by a JSON pointer to the blob
/// (docs/protocol/modern-2x.md#stand-ins).
struct BlobStandIn {
    private static let prefix = "blob_"

    /// The pointer's bytes: pointers and keys are compared by bytes.
    private let pointer: Substring.UTF8View

    /// `nil` if the name is not that of a stand-in.
    init?(name: String) {
        guard name.utf8.starts(with: "blob_/".utf8) else { return nil }
        pointer = Substring(name).utf8.dropFirst(Self.prefix.utf8.count)
    }

    /// Whether LiteCore finds the blob by this pointer, and therefore removes the entry. LiteCore does not undo the escapes that it writes
    /// itself, and stops before an empty last key (Fleece, `Path::evalJSONPointer`).
    var isFoundByLiteCore: Bool {
        !pointer.contains(UInt8(ascii: "~")) && pointer.last != UInt8(ascii: "/")
    }

    /// A name under which LiteCore removes the entry without looking for the blob: the stand-in name of Couchbase Lite 2.0, `blob_` and a
    /// number.
    var numberedName: String {
        "\(Self.prefix)0\(Substring(pointer))"
    }

    /// The digest of the blob at the pointer; `nil` if there is no blob.
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
    /// The entries for a client that knows blobs from the body alone.
    ///
    /// Such a client removes the stand-ins that it can resolve. It would store an unresolvable stand-in as an additional attachment, so
    /// this method gives that entry a name by which LiteCore removes it. An entry whose digest differs from its blob's digest stays
    /// unchanged: the attachment was changed after the stand-in was written.
    ///
    /// The entry cannot be omitted instead: LiteCore treats a blob as missing if its digest is not among the entries.
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
