/// A member of a mapping, with comments above it.
struct YAMLEntry: Sendable {
    let key: String
    let value: YAMLNode
    let comments: [String]

    init(_ key: String, _ value: YAMLNode, comments: [String] = []) {
        self.key = key
        self.value = value
        self.comments = comments
    }

    func rendered(indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        return YAMLNode.comments(comments, indent: indent) + "\(margin)\(YAMLNode.key(key)):\(value.value(indent: indent))"
    }
}
