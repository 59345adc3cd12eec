package import Documents

/// An object of a Sync Gateway configuration. Go's JSON reader takes keys in any case, so `CORS` is `cors`.
package struct GatewaySection {
    /// The way to it; empty for the whole.
    let path: String

    /// In the file's order, `null` left out.
    let members: [JSONMember]

    package init(_ json: JSONValue, path: String) {
        self.path = path
        members = (json.members ?? []).filter { $0.value != .null }
    }

    /// - Parameter key: in small letters.
    subscript(key: String) -> JSONValue? {
        members.last { $0.key.lowercased() == key }?.value
    }

    func path(_ key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }
}

extension JSONValue {
    /// The texts of a list, or one text; `nil` if it is neither.
    var textList: [String]? {
        if let string { return [string] }
        guard let array else { return nil }
        let texts = array.compactMap(\.string)
        return texts.count == array.count ? texts : nil
    }
}

/// One configuration that is translated.
struct GatewayInput: Sendable {
    /// The file, or the URL.
    let name: String
    let section: GatewaySection

    /// Whether it is the server's own configuration, as opposed to that of one database in 3.x.
    let isServer: Bool

    /// What could not be read of it.
    var unread: [GatewayImport.Dropped] = []
}
