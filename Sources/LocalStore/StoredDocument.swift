public import Documents

/// A document of a ``LocalCollection``, as it was read, or as it is to be saved.
public struct StoredDocument: Hashable, Sendable, Identifiable {
    /// The document's name in its collection: 1 to 240 bytes of UTF-8 without control characters, not beginning with `_`.
    public let id: String

    /// The revision that was read; `nil` for a new document.
    public package(set) var revision: RevisionID?

    /// The properties, one JSON object.
    public var json: [UInt8]

    /// Creates a document that is to be saved for the first time.
    ///
    /// - Parameters:
    ///   - id: The document's name in its collection. It is checked when the document is saved.
    ///   - json: One JSON object, such as the result of a `JSONEncoder`. It is checked when the document is saved.
    public init(id: String, json: some Collection<UInt8>) {
        self.init(id: id, revision: nil, json: Array(json))
    }

    /// Creates a document that is to be saved for the first time.
    ///
    /// - Parameters:
    ///   - id: The document's name in its collection. It is checked when the document is saved.
    ///   - properties: A JSON object.
    public init(id: String, _ properties: JSONValue) {
        self.init(id: id, json: [])
        self.properties = properties
    }

    init(id: String, revision: RevisionID?, json: [UInt8]) {
        self.id = id
        self.revision = revision
        self.json = json
    }

    /// The properties as a tree; an empty object while ``json`` is not a JSON object. Each access reads or writes all of ``json``.
    public var properties: JSONValue {
        get {
            guard let value = try? JSONValue(document: json), value.members != nil else { return .object([]) }
            return value
        }
        set {
            json = []
            newValue.append(to: &json)
        }
    }

    /// A property; `nil` if there is none of this name. Setting `nil` removes the property.
    public subscript(key: String) -> JSONValue? {
        get { properties[key] }
        set {
            let isOther = { (member: JSONMember) in !member.key.utf8.elementsEqual(key.utf8) }
            guard let newValue else {
                properties = .object((properties.members ?? []).filter(isOther))
                return
            }
            properties = properties.merging(.object([JSONMember(key, newValue)]))
        }
    }
}
