package import Documents
package import Gateway
import Storage

extension RevisionContent {
    /// The body in its wire form: with the attachments in `_attachments`, in the form that Couchbase Lite knows.
    ///
    /// - Parameter renaming: Adapts the attachment entries to the peer.
    package func messageBody(
        in snapshot: KeyspaceSnapshot, renaming: (AttachmentSet) throws -> AttachmentSet = { $0 }
    ) throws -> (bytes: [UInt8], attachments: [SentAttachment]) {
        guard let json = body.attachments else { return (body.properties, []) }
        let announced = try AnnouncedAttachments(try AttachmentSet(json), in: snapshot)
        guard !announced.set.isEmpty else { return (body.properties, []) }
        var member: [UInt8] = []
        JSONWriter.append(key: "_attachments", to: &member)
        member.append(contentsOf: try renaming(announced.set).stubs())
        return (JSONObject.adding(member, to: body.properties), announced.sent)
    }
}

/// Adds members to JSON objects without parsing these.
package enum JSONObject {
    /// Returns the object with the members before its own. The object's own bytes are unchanged.
    /// - Parameters:
    ///   - members: `"key":value` pairs with commas between them.
    ///   - object: A well-formed JSON object.
    package static func adding(_ members: [UInt8], to object: [UInt8]) -> [UInt8] {
        guard let start = object.firstIndex(of: UInt8(ascii: "{")) else { return object }
        var result: [UInt8] = []
        result.reserveCapacity(object.count + members.count + 1)
        result.append(UInt8(ascii: "{"))
        result.append(contentsOf: members)
        let rest = object[(start + 1)...]
        let isEmpty = rest.first { !isWhitespace($0) } == UInt8(ascii: "}")
        if !isEmpty { result.append(UInt8(ascii: ",")) }
        result.append(contentsOf: rest)
        return result
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
