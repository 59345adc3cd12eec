package import Documents
import Foundation
package import HTTPTypes

/// Recorded conversations in `Captures`.
package enum Recording {
    /// The lines of a file in `Captures`, each a JSON object.
    package static func lines(_ name: String) throws -> [JSONValue] {
        guard let file = Bundle.module.url(forResource: name, withExtension: "jsonl", subdirectory: "Captures") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return try [UInt8](Data(contentsOf: file)).split(separator: 0x0a).map { try JSONValue($0) }
    }

    /// The headers in an object of names and values.
    package static func headers(_ value: JSONValue?) -> HTTPFields {
        var fields = HTTPFields()
        for member in value?.members ?? [] {
            if let name = HTTPField.Name(member.key), let text = member.value.string { fields[name] = text }
        }
        return fields
    }
}
