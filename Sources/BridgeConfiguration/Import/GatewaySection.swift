package import Documents

/// An object of a Sync Gateway configuration. Go's JSON parser ignores the case of keys, so `CORS` is `cors`.
package struct GatewaySection {
    /// The path of the object; empty for the root.
    let path: String

    /// The members in the file's order, without `null` values.
    let members: [JSONMember]

    package init(_ json: JSONValue, path: String) {
        self.path = path
        members = (json.members ?? []).filter { $0.value != .null }
    }

    /// - Parameter key: the key in lower case.
    subscript(key: String) -> JSONValue? {
        members.last { $0.key.lowercased() == key }?.value
    }

    func path(_ key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }
}

extension JSONValue {
    /// The texts of a list, or a single text; `nil` for other values.
    var textList: [String]? {
        if let string { return [string] }
        guard let array else { return nil }
        let texts = array.compactMap(\.string)
        return texts.count == array.count ? texts : nil
    }
}

/// One configuration to import.
struct GatewayInput: Sendable {
    /// The file name or the URL.
    let name: String
    let section: GatewaySection

    /// Whether this is a server's configuration, not that of one database in 3.x.
    let isServer: Bool

    /// The parts that could not be fetched.
    var unread: [GatewayImport.Dropped] = []
}
