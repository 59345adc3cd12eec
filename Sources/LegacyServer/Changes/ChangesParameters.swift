import Documents
import HTTP
import LegacyProtocol

/// The parameters in the query and the body of a `_changes` request, as text. The query takes precedence.
///
/// Clients send the same options in both ways. In the body, numbers may be strings and vice versa, so both are converted to text.
struct ChangesParameters {
    private var values: [String: String] = [:]

    /// The parameters that were strings in the body, and are not interpreted as JSON.
    private var texts: Set<String> = []

    /// The parameters in the query.
    private var inQuery: Set<String> = []

    init(query: Query = Query([]), body: [UInt8]? = nil) throws {
        if let body { try read(body) }
        for item in query.items where inQuery.insert(item.name).inserted {
            values[item.name] = item.value
            texts.remove(item.name)
        }
    }

    /// The value of `req.query` for a filter function, a JSON object: all parameters except the list of documents.
    ///
    /// Couchbase Lite sends strings unquoted, and other values as JSON. So text that is valid JSON is parsed, as in Couchbase Lite's own
    /// listener. Long numbers remain strings, because JavaScript would round them.
    func filterParameters(limit: Int) throws -> [UInt8] {
        var json: [UInt8] = [UInt8(ascii: "{")]
        for (name, value) in values.sorted(by: { $0.key < $1.key }) where name != "doc_ids" {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            JSONWriter.append(key: name, to: &json)
            if !texts.contains(name), let value = Self.value(value) { value.append(to: &json) } else { JSONWriter.append(value, to: &json) }
        }
        json.append(UInt8(ascii: "}"))
        guard json.count <= limit else { throw LegacyError(.tooLarge, "The parameters of a filter may have at most \(limit) bytes") }
        return json
    }

    private static func value(_ text: String) -> JSONValue? {
        guard let value = try? JSONValue(Array(text.utf8), maximumDepth: 16) else { return nil }
        if case .number(let digits) = value, digits.utf8.count > 15 { return nil }
        return value
    }

    /// The value as text, in JSON if it was an array or object; `nil` if it is missing or empty.
    subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether the parameter is in the query instead of the body.
    func isInQuery(_ name: String) -> Bool { inQuery.contains(name) }

    /// An optional flag; an invalid value counts as false.
    func flag(_ name: String) -> Bool {
        (try? bool(name)) ?? false
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
        guard let value = Query.number(text), value >= 0 else { throw LegacyError(.badRequest, "\(name) must be a whole number from 0") }
        return value
    }

    /// A number that does not affect the rows; an invalid value counts as missing.
    func number(_ name: String) -> Int? {
        try? int(name)
    }

    /// A list of strings: a JSON array, or separated by commas.
    ///
    /// - Parameter keepsEmpty: Whether empty strings between commas are included.
    func strings(_ name: String, limit: Int, keepsEmpty: Bool = false) throws -> [String]? {
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
            // Split by bytes instead of characters: a combining mark after a comma would join it.
            list = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: !keepsEmpty).map { String(Substring($0)) }
        }
        guard list.count <= limit else { throw LegacyError(.tooLarge, "\(name) has more than \(limit) elements") }
        return list
    }

    private mutating func read(_ body: [UInt8]) throws {
        do {
            (values, texts) = try JSONReader.read(body, Self.members)
        } catch let error as JSONError {
            // Go's error text in quotes, as in Sync Gateway.
            let reason = error.code == .unexpectedEnd ? error.code.description : error.description
            throw LegacyError(.badRequest, "Invalid JSON: \"\(reason)\"", cause: error)
        }
    }

    private static func members(_ reader: inout JSONReader) throws -> ([String: String], texts: Set<String>) {
        var values: [String: String] = [:]
        var texts: Set<String> = []
        guard !reader.isNull else {
            try reader.null()
            return (values, texts)
        }
        try reader.object { key, value in
            switch value.kind {
            case .string:
                let name = try key.string()
                values[name] = try value.string()
                texts.insert(name)
            case .null: try value.null()
            default: values[try key.string()] = String(decoding: try value.raw(), as: UTF8.self)
            }
        }
        return (values, texts)
    }
}
