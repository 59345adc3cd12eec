extension AttachmentMetadata {
    /// Reads the value of one entry.
    ///
    /// - Throws: ``DocumentError`` `badAttachment`, or `missingAttachment` for a stub with a malformed digest; ``JSONError``.
    init(name: String, reading reader: inout JSONReader, describesDataAnew: Bool = false) throws {
        guard reader.kind == .object else { throw Self.bad(name, "an object is expected") }
        self.init(name: name)
        var isStub = false
        var follows = false
        var data: [UInt8]?
        var malformedDigest: String?
        try reader.object { key, value in
            if key == "digest" {
                (digest, malformedDigest) = try Self.digest(&value, of: name)
            } else if key == "length" {
                length = try Self.count(&value, key: "length", of: name)
            } else if key == "encoded_length" {
                encodedLength = try Self.count(&value, key: "encoded_length", of: name)
            } else if key == "revpos" {
                revpos = try Self.count(&value, key: "revpos", of: name)
            } else if key == "content_type", value.kind == .string {
                contentType = try value.string()
            } else if key == "encoding", value.kind == .string {
                encoding = try value.string()
            } else if key == "stub" {
                isStub = try Self.flag(&value)
            } else if key == "follows" {
                follows = try Self.flag(&value)
            } else if key == "data", !value.isNull {
                data = try Self.text(&value, of: name)
            } else {
                try appendOtherMember(key, &value)
            }
        }
        if let data {
            source = .inline(data)
        } else if follows {
            source = .follows
        } else if !isStub {
            throw Self.bad(name, "Missing data of attachment: it has neither data, follows nor stub")
        }
        if let malformedDigest, data == nil || !describesDataAnew {
            guard source == .stub else { throw Self.bad(name, "digest must be sha1- or md5- and base64") }
            throw DocumentError(.missingAttachment, "No attachment has the digest \"\(malformedDigest)\" of the stub \"\(name)\"")
        }
    }

    private mutating func appendOtherMember(_ key: borrowing JSONKey, _ value: inout JSONReader) throws {
        if !otherMembers.isEmpty { otherMembers.append(0x2c) }
        otherMembers.append(0x22)
        otherMembers.append(contentsOf: key.raw)
        JSONWriter.append(raw: "\":", to: &otherMembers)
        otherMembers.append(contentsOf: try value.raw())
    }

    /// The parsed digest, or the text of a malformed digest.
    private static func digest(_ value: inout JSONReader, of name: String) throws -> (AttachmentDigest?, malformed: String?) {
        if value.isNull {
            try value.null()
            return (nil, nil)
        }
        guard value.kind == .string else { throw bad(name, "digest must be sha1- or md5- and base64") }
        let text = try value.string()
        let digest = AttachmentDigest(text)
        return (digest, digest == nil ? text : nil)
    }

    private static func count(_ value: inout JSONReader, key: StaticString, of name: String) throws -> Int {
        guard value.kind == .number, let count = try? value.int(), 0...RevisionID.maximumGeneration ~= count else {
            throw bad(name, "\(key) must be a whole number that is not negative")
        }
        return count
    }

    private static func text(_ value: inout JSONReader, of name: String) throws -> [UInt8] {
        guard value.kind == .string else { throw bad(name, "data must be a string of base64") }
        let (raw, isEscaped) = try value.rawString()
        return isEscaped ? JSONText.unescaped(raw).bytes : Array(raw)
    }

    private static func flag(_ value: inout JSONReader) throws -> Bool {
        guard value.kind == .bool else {
            try value.skip()
            return false
        }
        return try value.bool()
    }

    static func bad(_ name: String, _ reason: String) -> DocumentError {
        DocumentError(.badAttachment, "Invalid _attachments: \"\(name)\": \(reason)")
    }

    /// Appends the entry's value.
    ///
    /// - Parameters:
    ///   - bytes: The buffer to append to.
    ///   - spelling: How the attachment's bytes are sent.
    /// - Returns: With `.inserted`, the offset at which the caller inserts the base64.
    func append(to bytes: inout [UInt8], spelling: AttachmentSet.Spelling) -> Int? {
        var object = ObjectWriter()
        var place: Int?
        if let contentType { object.string("content_type", contentType, &bytes) }
        switch spelling {
        case .data(let data):
            object.key("data", &bytes)
            bytes.append(0x22)
            Base64.append(data, to: &bytes)
            bytes.append(0x22)
        case .inserted:
            object.key("data", &bytes)
            bytes.append(0x22)
            place = bytes.count
            bytes.append(0x22)
        case .stub, .follows: break
        }
        if let digest { object.string("digest", digest.description, &bytes) }
        if let encodedLength { object.number("encoded_length", encodedLength, &bytes) }
        if let encoding { object.string("encoding", encoding, &bytes) }
        if case .follows = spelling { object.flag("follows", &bytes) }
        if let length { object.number("length", length, &bytes) }
        if let revpos { object.number("revpos", revpos, &bytes) }
        if case .stub = spelling { object.flag("stub", &bytes) }
        if !otherMembers.isEmpty { object.members(otherMembers, &bytes) }
        object.close(&bytes)
        return place
    }
}
