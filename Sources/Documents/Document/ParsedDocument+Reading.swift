extension ParsedDocument {
    /// Parses a reader's next value, such as a document of a `_bulk_docs` request.
    ///
    /// After a ``DocumentError`` the reader's position is after the document, so that the caller can read the next one.
    ///
    /// - Throws: ``DocumentError`` if the document breaks a rule; ``JSONError`` if the text is not JSON.
    package init(reading reader: inout JSONReader, policy: DocumentPolicy, limits: DocumentLimits = DocumentLimits()) throws {
        let start = reader.offset
        let depth = reader.depth
        do {
            try self.init(parsing: &reader, policy: policy, limits: limits)
        } catch let error as DocumentError {
            try reader.skip(from: start, depth: depth)
            throw error
        } catch let error as JSONError {
            // If the text is well-formed JSON, the error concerns this document only.
            try reader.skip(from: start, depth: depth)
            throw DocumentError(error)
        }
    }

    private init(parsing reader: inout JSONReader, policy: DocumentPolicy, limits: DocumentLimits) throws {
        guard reader.kind == .object else {
            if reader.isNull { throw DocumentError(.badJSON, "Document body is empty") }
            throw DocumentError(.badJSON, "Bad JSON: a document must be an object")
        }
        self.init(body: [])
        let start = reader.offset
        var assembler = BodyAssembler()
        var revisionText: Result<RevisionID?, DocumentError> = .success(nil)
        var keys = JSONKeySet()
        var repeats = false
        try reader.object(uniqueKeys: false) { key, value in
            var treatment = DocumentPolicy.Treatment.keep
            if key.isReserved { treatment = policy.treatment(of: key) }
            if !keys.insert(key) {
                // Readers must agree on the value, and implementations differ on which duplicate they use.
                guard !key.isReserved, policy.lastDuplicateWins else { throw JSONError(.duplicateKey, at: key.offset) }
                repeats = true
            }
            switch treatment {
            case .keep:
                let valueEnd = try value.skip().upperBound
                assembler.append(key.offset..<valueEnd)
                return
            case .drop: try value.skip()
            case .refuse: throw policy.refusal(of: try key.string())
            case .interpret: try interpret(key, &value, &revisionText)
            }
            assembler.skipMember()
        }
        var size = reader.offset - start
        if size > limits.maximumSize, let attachments { size -= try Self.inlineSize(of: attachments) }
        guard size <= limits.maximumSize else { throw Self.tooLarge(size, limits) }
        body = assembler.body(start..<reader.offset, in: reader)
        if repeats { body = try DocumentBody.removingDuplicates(of: body) }
        try setRevision(revisionText.get())
    }

    /// The size of the inline attachment data within `_attachments`. Separate limits apply to that data.
    private static func inlineSize(of attachments: [UInt8]) throws -> Int {
        try JSONReader.read(attachments) { reader in
            var size = 0
            guard reader.kind == .object else { return size }
            try reader.object { _, entry in
                guard entry.kind == .object else { return }
                try entry.object { key, value in
                    if key == "data" { size += try value.skip().count }
                }
            }
            return size
        }
    }

    private mutating func interpret(
        _ key: borrowing JSONKey,
        _ value: inout JSONReader,
        _ revisionText: inout Result<RevisionID?, DocumentError>,
    ) throws {
        if key == "_attachments" {
            attachments = Array(try value.raw())
        } else if key == "_exp" {
            expiry = Array(try value.raw())
        } else if value.isNull {
            try value.null()
        } else if key == "_id" {
            guard value.kind == .string else { throw DocumentError(.badDocumentID, "Invalid doc ID: _id must be a string") }
            id = try value.string()
        } else if key == "_rev" {
            revisionText = try Self.revision(&value)
        } else if key == "_revisions" {
            history = try RevisionHistory.read(&value)
        } else {
            guard value.kind == .bool else {
                throw DocumentError(.badJSON, "Bad JSON: \(try key.string()) must be true or false")
            }
            let isSet = try value.bool()
            if key == "_deleted" { isDeleted = isSet } else { isRemoved = isSet }
        }
    }

    /// The revision ID in `_rev`; nil if `_rev` is empty.
    private static func revision(_ value: inout JSONReader) throws -> Result<RevisionID?, DocumentError> {
        guard value.kind == .string else {
            return .failure(DocumentError(.badRevisionID, "Invalid revision ID: _rev must be a string"))
        }
        let (raw, isEscaped) = try value.rawString()
        if raw.isEmpty { return .success(nil) }
        let parsed = isEscaped ? RevisionID(utf8: JSONText.unescaped(raw).bytes) : RevisionID(utf8: raw)
        guard let parsed else {
            return .failure(DocumentError(.badRevisionID, "Invalid revision ID \"\(String(decoding: raw, as: UTF8.self))\""))
        }
        return .success(parsed)
    }

    private mutating func setRevision(_ revision: RevisionID?) throws(DocumentError) {
        if let revision, let newest = history?.first, revision != newest {
            // PouchDB identifies a parent by its digest. If a revision has the same digest as its parent, PouchDB sends the parent's history.
            guard revision.generation - 1 == newest.generation, revision.digest == newest.digest else {
                throw RevisionHistory.bad("_rev is \(revision), but _revisions begins with \(newest)")
            }
            history?.insert(revision, at: 0)
        }
        self.revision = revision ?? history?.first
    }
}

/// Collects the ranges of the user's members in a document, and assembles the body from their bytes.
struct BodyAssembler {
    /// Runs of adjacent members, each from a key's opening quote to the end of a value.
    private var runs: [Range<Int>] = []
    private var isWhole = true
    private var isOpen = false

    /// Adds the member at these offsets to the body.
    @inline(__always)
    mutating func append(_ member: Range<Int>) {
        if isOpen {
            runs[runs.count - 1] = runs[runs.count - 1].lowerBound..<member.upperBound
        } else {
            runs.append(member)
            isOpen = true
        }
    }

    /// Skips a member that is not part of the body.
    @inline(__always)
    mutating func skipMember() {
        isOpen = false
        isWhole = false
    }

    /// The body as one JSON object.
    ///
    /// - Parameters:
    ///   - document: The range of the document's object.
    ///   - reader: The reader of the text.
    func body(_ document: Range<Int>, in reader: borrowing JSONReader) -> [UInt8] {
        if isWhole, !runs.isEmpty { return Array(reader.bytes(document)) }
        var body: [UInt8] = []
        body.reserveCapacity(runs.reduce(1) { $0 + $1.count + 1 } + 1)
        body.append(0x7b)
        for (index, run) in runs.enumerated() {
            if index > 0 { body.append(0x2c) }
            body.append(contentsOf: reader.bytes(run))
        }
        body.append(0x7d)
        return body
    }
}
