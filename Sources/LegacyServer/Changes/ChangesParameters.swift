import Documents
import HTTP
import LegacyProtocol

/// What a `_changes` request says in its query and its body, as text. The query wins.
///
/// Clients send the same options both ways; in the body numbers may be strings and the other way round, so both are read from one form.
struct ChangesParameters {
    private var values: [String: String] = [:]

    /// Those that are text whatever they look like: they were strings in the body.
    private var texts: Set<String> = []

    /// Those that the query has.
    private var inQuery: Set<String> = []

    init(query: Query = Query([]), body: [UInt8]? = nil) throws {
        if let body { try read(body) }
        for item in query.items where inQuery.insert(item.name).inserted {
            values[item.name] = item.value
            texts.remove(item.name)
        }
    }

    /// What a filter function gets as `req.query`, a JSON object: all but the list of documents, which is of no use to it.
    ///
    /// Clients of Couchbase Lite send strings as they are in a query, and anything else as JSON, so what is JSON is read as such, as
    /// Couchbase Lite's own listener does. Long numbers stay texts: JavaScript would round them.
    func filterParameters(limit: Int) throws -> [UInt8] {
        var json: [UInt8] = [UInt8(ascii: "{")]
        for (name, value) in values.sorted(by: { $0.key < $1.key }) where name != "doc_ids" {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            JSONWriter.append(key: name, to: &json)
            if !texts.contains(name), let value = Self.value(value) { value.append(to: &json) } else { JSONWriter.append(value, to: &json) }
        }
        json.append(UInt8(ascii: "}"))
        guard json.count <= limit else { throw LegacyError(.tooLarge, "The parameters of a filter may have \(limit) bytes") }
        return json
    }

    private static func value(_ text: String) -> JSONValue? {
        guard let value = try? JSONValue(Array(text.utf8), maximumDepth: 16) else { return nil }
        if case .number(let digits) = value, digits.utf8.count > 15 { return nil }
        return value
    }

    /// The value as text, JSON where it was an array or object; `nil` if it is missing or empty.
    subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether the query says it, rather than the body.
    func isInQuery(_ name: String) -> Bool { inQuery.contains(name) }

    /// Whether something is asked for in addition: a value that nobody understands does not ask for it.
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

    /// A number that changes nothing of what is sent; what is none counts as not said.
    func number(_ name: String) -> Int? {
        try? int(name)
    }

    /// A list of strings: JSON, or separated by commas.
    ///
    /// - Parameter keepsEmpty: whether there may be empty ones between commas.
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
            // By bytes, not by characters: a combining mark behind a comma belongs to what follows.
            list = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: !keepsEmpty).map { String(Substring($0)) }
        }
        guard list.count <= limit else { throw LegacyError(.tooLarge, "\(name) has more than \(limit) elements") }
        return list
    }

    private mutating func read(_ body: [UInt8]) throws {
        do {
            (values, texts) = try JSONReader.read(body, Self.members)
        } catch let error as JSONError {
            // Go's words, in quotes, as Sync Gateway has them.
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
