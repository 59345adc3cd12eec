package import HTTP

/// Values by the patterns of their paths, indexed by the first segment.
package struct PathTable<Value: Sendable>: Sendable {
    private typealias Entry = (pattern: PathPattern, value: Value)

    private var named: [String: [Entry]] = [:]

    /// The entries whose pattern is empty or begins with a variable.
    private var others: [Entry] = []

    package init(_ entries: some Sequence<(PathPattern, Value)>) {
        for (pattern, value) in entries {
            if case .exactly(let name)? = pattern.segments.first {
                named[name, default: []].append((pattern, value))
            } else {
                others.append((pattern, value))
            }
        }
    }

    /// The value of the first entry that matches a path, with the segments at the positions of `*`; `nil` if no entry matches. Entries that begin
    /// with a name precede the others.
    package func match(_ path: ArraySlice<PathSegment>) -> (value: Value, parameters: [String])? {
        if let first = path.first, let entries = named[first.value], let found = Self.match(path, entries) { return found }
        return Self.match(path, others)
    }

    private static func match(_ path: ArraySlice<PathSegment>, _ entries: [Entry]) -> (value: Value, parameters: [String])? {
        for entry in entries {
            if let parameters = entry.pattern.parameters(of: path) { return (entry.value, parameters) }
        }
        return nil
    }
}
