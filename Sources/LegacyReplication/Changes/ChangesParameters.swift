import Documents
import HTTP

/// What a `_changes` request says in its query and its body, as text. The query wins.
///
/// Clients send the same options both ways; in the body numbers may be strings and the other way round, so both are read from one form.
struct ChangesParameters {
    private var values: [String: String] = [:]

    init(query: Query = Query([]), body: [UInt8]? = nil) throws {
        if let body { try read(body) }
        var inQuery: Set<String> = []
        for item in query.items where inQuery.insert(item.name).inserted {
            values[item.name] = item.value
        }
    }

    /// The value as text, JSON where it was an array or object; `nil` if it is missing or empty.
    subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    func bool(_ name: String) throws -> Bool {
        switch self[name] {
        case nil, "false", "0": false
        case "true", "1": true
        default: throw LegacyError(.badRequest, "\(name) must be true or false")
        }
    }

    func int(_ name: String) throws -> Int? {
        guard let text = self[name] else { return nil }
        guard let value = Int(text), value >= 0 else { throw LegacyError(.badRequest, "\(name) must be a whole number from 0") }
        return value
    }

    /// A list of strings: JSON, or separated by commas.
    func strings(_ name: String, limit: Int) throws -> [String]? {
        guard let text = self[name] else { return nil }
        var list: [String] = []
        if text.utf8.first == UInt8(ascii: "[") {
            try JSONReader.read(Array(text.utf8)) { reader in
                try reader.array { element in
                    guard list.count < limit else { throw LegacyError(.tooLarge, "\(name) has more than \(limit) elements") }
                    list.append(try element.string())
                }
            }
        } else {
            // By bytes, not by characters: a combining mark behind a comma belongs to what follows.
            list = text.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) }
        }
        guard list.count <= limit else { throw LegacyError(.tooLarge, "\(name) has more than \(limit) elements") }
        return list
    }

    private mutating func read(_ body: [UInt8]) throws {
        do {
            values = try JSONReader.read(body, Self.members)
        } catch let error as JSONError {
            throw LegacyError(.badRequest, "Invalid JSON: \(error)", cause: error)
        }
    }

    private static func members(_ reader: inout JSONReader) throws -> [String: String] {
        var values: [String: String] = [:]
        try reader.object { key, value in
            switch value.kind {
            case .string: values[try key.string()] = try value.string()
            case .null: try value.null()
            default: values[try key.string()] = String(decoding: try value.raw(), as: UTF8.self)
            }
        }
        return values
    }
}
