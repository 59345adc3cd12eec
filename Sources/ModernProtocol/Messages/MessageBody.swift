package import Documents
package import Gateway
import Storage

extension RevisionContent {
    /// The body as messages have it: with the attachments in `_attachments`, as Couchbase Lite knows them.
    ///
    /// - Parameter renaming: What the peer wants otherwise about the attachments.
    package func messageBody(
        in snapshot: KeyspaceSnapshot, renaming: (AttachmentSet) throws -> AttachmentSet = { $0 }
    ) throws -> (bytes: [UInt8], attachments: [SentAttachment]) {
        guard let json = body.attachments else { return (body.properties, []) }
        let told = try AnnouncedAttachments(try AttachmentSet(json), in: snapshot)
        guard !told.set.isEmpty else { return (body.properties, []) }
        var member: [UInt8] = []
        JSONWriter.append(key: "_attachments", to: &member)
        member.append(contentsOf: try renaming(told.set).stubs())
        return (JSONObject.adding(member, to: body.properties), told.sent)
    }
}

/// Puts members into JSON objects without taking these apart.
package enum JSONObject {
    /// The object with other members before its own. Its own bytes stay as they are.
    ///
    /// - Parameters:
    ///   - members: `"key":value` pairs with commas between them.
    ///   - object: A JSON object that has been found well-formed.
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
