import HTTP

/// What a path behind the keyspace names.
enum LegacyPath: Equatable {
    /// The keyspace itself.
    case keyspace
    /// Something that begins with an underscore: `_changes`.
    case endpoint(String)
    /// A `_local/` document, without the prefix.
    case local(String)
    /// A `_design/` document, without the prefix.
    case design(String)
    case document(String)
    case attachment(document: String, name: String)

    /// Reads a target whose segments from `index` on lie behind the keyspace; `nil` if they can name nothing.
    ///
    /// Segments were split before they were decoded, so an encoded slash belongs to an ID. Couchbase Lite for .NET does not
    /// encode slashes: a path of several segments is a document if `revs`, `open_revs` or `new_edits` is asked, which never
    /// occur for attachments. iOS encodes the slash of `_design/x`, too.
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
    /// What follows the prefix, if there is anything.
    func removing(prefix: String) -> String? {
        guard utf8.starts(with: prefix.utf8), utf8.count > prefix.utf8.count else { return nil }
        return String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }
}
