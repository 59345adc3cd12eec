import Documents
import Gateway

/// The answer of `_revs_diff`: `{"a":{"missing":["3-c"],"possible_ancestors":["2-b"]}}`, for documents of which something is missing.
enum RevsDiffResponse {
    /// - Parameter differences: by document, in the order of the request; documents of which nothing is missing may be left out.
    static func encode(_ request: RevsDiffRequest, _ differences: [(id: String, difference: RevisionsDifference)]) -> [UInt8] {
        var bytes = Array("{".utf8)
        bytes.reserveCapacity(2 + request.entries.count * 80)
        var rest = differences[...]
        for entry in request.entries {
            // Compared by bytes: documents whose IDs differ in Unicode normalisation only are different ones.
            let difference = rest.first?.id.utf8.elementsEqual(entry.id.utf8) == true ? rest.popFirst()?.difference : nil
            guard difference != nil || !entry.impossible.isEmpty else { continue }
            if bytes.count > 1 { JSONWriter.append(raw: ",\n", to: &bytes) }
            JSONWriter.append(key: entry.id, to: &bytes)
            append(difference, impossible: entry.impossible, to: &bytes)
        }
        JSONWriter.append(raw: "}", to: &bytes)
        return bytes
    }

    private static func append(_ difference: RevisionsDifference?, impossible: [String], to bytes: inout [UInt8]) {
        JSONWriter.append(raw: "{\"missing\":[", to: &bytes)
        append(difference?.missing ?? [], to: &bytes)
        for (index, text) in impossible.enumerated() {
            if index > 0 || difference != nil { JSONWriter.append(raw: ",", to: &bytes) }
            JSONWriter.append(text, to: &bytes)
        }
        JSONWriter.append(raw: "]", to: &bytes)
        if let ancestors = difference?.possibleAncestors, !ancestors.isEmpty {
            JSONWriter.append(raw: ",\"possible_ancestors\":[", to: &bytes)
            append(ancestors, to: &bytes)
            JSONWriter.append(raw: "]", to: &bytes)
        }
        JSONWriter.append(raw: "}", to: &bytes)
    }

    private static func append(_ revisions: [RevisionID], to bytes: inout [UInt8]) {
        for (index, revision) in revisions.enumerated() {
            if index > 0 { JSONWriter.append(raw: ",", to: &bytes) }
            JSONWriter.append(revision, to: &bytes)
        }
    }
}
