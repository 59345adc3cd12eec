import Documents
import Gateway
import LegacyProtocol
import Storage

/// Writes rows of a changes feed byte by byte as Sync Gateway does.
struct ChangesEncoder: Sendable {
    /// Whether brackets in strings are escaped. The .NET client counts brackets in the WebSocket feed even within strings.
    var escapesBrackets = false

    /// Appends `{"seq":5,"id":"a","changes":[{"rev":"1-b"}]}`.
    @inline(__always)
    func append(_ row: ChangeRow, to bytes: inout [UInt8]) {
        appendHead(row, to: &bytes)
        appendRevisions(row, to: &bytes)
    }

    /// Appends a row with the JSON of `doc`.
    func append(_ row: ChangeRow, document: SegmentedBody, to body: inout SegmentedBody) {
        body.append { bytes in
            appendHead(row, to: &bytes)
            JSONWriter.append(raw: ",\"doc\":", to: &bytes)
        }
        body.append(document)
        body.append { appendRevisions(row, to: &$0) }
    }

    @inline(__always)
    private func appendHead(_ row: ChangeRow, to bytes: inout [UInt8]) {
        JSONWriter.append(raw: "{\"seq\":", to: &bytes)
        if row.position.isPlain {
            JSONWriter.append(Int(row.sequence.value), to: &bytes)
        } else {
            // A compound sequence is a string, as in Sync Gateway.
            bytes.append(contentsOf: "\"\(row.position)\"".utf8)
        }
        JSONWriter.append(raw: ",\"id\":", to: &bytes)
        JSONWriter.append(row.id, to: &bytes, escapingBrackets: escapesBrackets)
        if row.isDeleted { JSONWriter.append(raw: ",\"deleted\":true", to: &bytes) }
        if let departure = row.departure { append(departure, to: &bytes) }
    }

    @inline(__always)
    private func appendRevisions(_ row: ChangeRow, to bytes: inout [UInt8]) {
        JSONWriter.append(raw: ",\"changes\":[{\"rev\":", to: &bytes)
        JSONWriter.append(row.revision, to: &bytes, escapingBrackets: escapesBrackets)
        for leaf in row.otherLeaves {
            JSONWriter.append(raw: "},{\"rev\":", to: &bytes)
            JSONWriter.append(leaf, to: &bytes, escapingBrackets: escapesBrackets)
        }
        JSONWriter.append(raw: "}]}", to: &bytes)
    }

    /// Appends the channels through which the client can no longer read the document; `*` if the document was moved.
    private func append(_ departure: ChangeRow.Departure, to bytes: inout [UInt8]) {
        let channels =
            switch departure {
            case .moved: ["*"]
            case .removed(let channels), .revoked(let channels): channels
            }
        JSONWriter.append(raw: ",\"removed\":[", to: &bytes)
        for (index, channel) in channels.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONWriter.append(channel, to: &bytes, escapingBrackets: escapesBrackets)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    static let opening: [UInt8] = Array("{\"results\":[\r\n".utf8)

    /// Appends the end of the feed. `last_seq` is a string, although the rows' `seq` is a number, as in Sync Gateway.
    static func appendClosing(_ last: FeedPosition, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "],\n\"last_seq\":\"\(last)\"}\n".utf8)
    }

    /// The last line of a continuous feed that has timed out or reached its limit. CouchDB's replicator waits for it.
    static func continuousClosing(_ last: FeedPosition, pending: Int = 0) -> [UInt8] {
        Array("{\"last_seq\":\"\(last)\",\"pending\":\(pending)}\n".utf8)
    }
}
