import Documents
import Gateway

/// A line of an exported quarantine: one JSON object.
///
/// Keys: `id`, `collection`, `revision` (if only one revision is at fault), `place` (in a dump), `reason`, `source`, `time`, `length` in bytes.
/// `document` is an array of the revisions in CouchDB's format, or the row of a dump. If the stored bytes are not JSON, `bytes` holds them in
/// base64 instead. `isCut` marks that only the first bytes are stored.
package enum QuarantineExport {
    package static func line(_ document: QuarantinedDocument, _ origin: QuarantineOrigin) -> [UInt8] {
        var bytes: [UInt8] = []
        func key(_ key: String) {
            bytes.append(bytes.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
            JSONWriter.append(key: key, to: &bytes)
        }
        func add(_ name: String, _ text: String) {
            key(name)
            JSONWriter.append(text, to: &bytes)
        }
        add("id", document.id)
        add("collection", document.collection.description)
        if let revision = document.revision { add("revision", revision) }
        if !document.place.isEmpty { add("place", document.place) }
        add("reason", document.reason)
        add("source", origin.source)
        add("time", origin.time.description)
        key("length")
        bytes += Array("\(document.length)".utf8)
        if document.length > document.bytes.count {
            key("isCut")
            bytes += Array("true".utf8)
        }
        let isJSON = (try? JSONReader.read(document.bytes) { _ in true }) ?? false
        if isJSON {
            key("document")
            // Line breaks of the source would split the exported line.
            bytes += document.bytes.map { $0 == 0x0a || $0 == 0x0d ? 0x20 : $0 }
        } else {
            add("bytes", Base64.encode(document.bytes))
        }
        bytes += Array("}\n".utf8)
        return bytes
    }
}
