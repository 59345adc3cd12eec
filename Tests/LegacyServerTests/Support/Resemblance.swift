import Documents
import HTTP
import LegacyTestSupport

/// Compares a response of Sync Gateway with the bridge's as JSON values, without the members that differ between any two servers.
enum Resemblance {
    /// Members with a server's own values: counters, and counts that Sync Gateway does not send.
    private static let own: Set<String> = [
        "seq", "last_seq", "update_seq", "committed_update_seq", "instance_start_time", "doc_count", "doc_del_count",
        // Sync Gateway sends the generation in which the bytes came; the bridge sends the client's value.
        "revpos",
    ]

    /// The first difference between both, or nil.
    ///
    /// - Parameter generated: IDs that Sync Gateway generated; the bridge's differ.
    static func difference(_ theirs: JSONValue, _ ours: JSONValue, generated: Set<String> = [], path: String = "") -> String? {
        switch (theirs, ours) {
        case (.object(let theirMembers), .object(let ourMembers)):
            let theirKeys = Set(theirMembers.map(\.key)).subtracting(own)
            let ourKeys = Set(ourMembers.map(\.key)).subtracting(own)
            guard theirKeys == ourKeys else { return "\(path): keys \(theirKeys.sorted()) and \(ourKeys.sorted())" }
            for key in theirKeys.sorted() {
                guard let their = theirs[key], let our = ours[key] else { continue }
                if let found = difference(their, our, generated: generated, path: "\(path).\(key)") { return found }
            }
            return nil
        case (.array(let theirElements), .array(let ourElements)):
            let theirElements = theirElements.filter { $0["id"]?.string?.hasPrefix("_user/") != true }
            guard theirElements.count == ourElements.count else {
                return "\(path): \(theirElements.count) and \(ourElements.count) elements"
            }
            for (index, (their, our)) in zip(theirElements, ourElements).enumerated() {
                if let found = difference(their, our, generated: generated, path: "\(path)[\(index)]") { return found }
            }
            return nil
        case (.string(let their), .string) where generated.contains(their): return nil
        default: return theirs == ours ? nil : "\(path): \(theirs) and \(ours)"
        }
    }

    /// Compares two multipart bodies part by part, and the bodies within their parts.
    static func difference(_ theirs: [Part], _ ours: [Part], path: String = "") throws -> String? {
        guard theirs.count == ours.count else { return "\(path): \(theirs.count) and \(ours.count) parts" }
        for (index, (their, our)) in zip(theirs, ours).enumerated() {
            if let found = try difference(their, our, path: "\(path)#\(index)") { return found }
        }
        return nil
    }

    private static func difference(_ theirs: Part, _ ours: Part, path: String) throws -> String? {
        let (theirType, ourType) = (theirs.headers.contentType, ours.headers.contentType)
        guard theirType?.essence == ourType?.essence, theirs.headers.isError == ours.headers.isError else {
            return "\(path): types \(theirType?.rendered ?? "") and \(ourType?.rendered ?? "")"
        }
        guard theirs.headers.filename == ours.headers.filename else { return "\(path): other file names" }
        if theirType?.isMultipart == true { return try difference(theirs.parts, ours.parts, path: path) }
        guard theirType?.isJSON == true else { return theirs.bytes == ours.bytes ? nil : "\(path): other bytes" }
        return difference(try theirs.json, try ours.json, path: path)
    }
}
