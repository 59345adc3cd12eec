import HTTP

/// The resource that a path below the keyspace names.
enum LegacyPath: Equatable {
    /// The keyspace itself.
    case keyspace
    /// A name that begins with an underscore: `_changes`.
    case endpoint(String)
    /// A `_local/` document, without the prefix.
    case local(String)
    /// A `_design/` document, without the prefix.
    case design(String)
    case document(String)
    case attachment(document: String, name: String)

    /// Parses a target whose path below the keyspace begins at segment `index`; `nil` if it names no resource.
    ///
    /// Segments are split before they are decoded, so an encoded slash belongs to an ID. Couchbase Lite for .NET does not encode slashes: a path
    /// of several segments names a document if the query has `revs`, `open_revs` or `new_edits`, which are never used with attachments. iOS also
    /// encodes the slash of `_design/x`.
    init?(_ target: RequestTarget, from index: Int) {
        guard let first = target.segments.dropFirst(index).first?.value else {
            self = .keyspace
            return
        }
        guard !first.isEmpty else { return nil }
        guard !first.utf8.starts(with: "_".utf8) else {
            self.init(special: target.joinedSegments(from: index))
            return
        }
        let isOneSegment = target.segments.count == index + 1
        if !isOneSegment || target.hasTrailingSlash, Self.documentParameters.contains(where: target.query.contains) {
            self = .document(target.joinedSegments(from: index, keepingTrailingSlash: true))
        } else if isOneSegment {
            self = .document(first)
        } else {
            self = .attachment(document: first, name: target.joinedSegments(from: index + 1))
        }
    }

    private init?(special path: String) {
        if let id = path.removing(prefix: "_local/") {
            self = .local(id)
        } else if let id = path.removing(prefix: "_design/") {
            self = .design(id)
        } else if !path.utf8.contains(UInt8(ascii: "/")) {
            self = .endpoint(path)
        } else {
            return nil
        }
    }

    private static let documentParameters = ["revs", "open_revs", "new_edits"]
}

extension LegacyPath {
    var pattern: LegacyRoute.Pattern {
        switch self {
        case .keyspace: .keyspace
        case .endpoint(let name): .endpoint(name)
        case .local: .local
        case .design: .design
        case .document: .document
        case .attachment: .attachment
        }
    }
}

extension String {
    /// The text after the prefix; `nil` if it is empty or the prefix is missing.
    func removing(prefix: String) -> String? {
        guard utf8.starts(with: prefix.utf8), utf8.count > prefix.utf8.count else { return nil }
        return String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }
}
