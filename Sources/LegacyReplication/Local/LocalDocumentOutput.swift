import Documents
import Storage

/// A `_local/` document as a client reads it: `_id`, `_rev`, then its members as they were written.
enum LocalDocumentOutput {
    static func encode(_ document: LocalDocument, id: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(document.body.count + id.utf8.count + 48)
        JSONWriter.append(raw: "{\"_id\":", to: &bytes)
        JSONWriter.append(LocalDocumentInput.prefix + id, to: &bytes)
        JSONWriter.append(raw: ",\"_rev\":\"0-", to: &bytes)
        JSONWriter.append(Int(document.revision), to: &bytes)
        JSONWriter.append(raw: "\"", to: &bytes)
        let members = DocumentBody.members(of: document.body)
        if !members.isEmpty {
            JSONWriter.append(raw: ",", to: &bytes)
            bytes.append(contentsOf: members)
        }
        JSONWriter.append(raw: "}", to: &bytes)
        return bytes
    }
}
