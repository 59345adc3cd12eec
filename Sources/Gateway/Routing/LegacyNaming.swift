import Documents
import Storage

/// Finds a legacy ID for a document that was created in a collection.
struct LegacyNaming {
    let routes: RouteTable
    let snapshot: any StoreSnapshot

    /// The legacy ID that the routes derive, or a qualified ID if that is taken or not a valid ID.
    ///
    /// - Parameter id: The document's ID in the collection.
    func name(_ id: String, in collection: CollectionName) throws -> (id: String, isQualified: Bool) {
        let derived = routes.unifiedID(of: id, in: collection)
        if (try? DocumentID.validate(derived)) != nil, try isFree(derived) { return (derived, false) }
        var attempt = 1
        while true {
            let qualified = LegacyID.qualified(id, in: collection, attempt: attempt)
            if try isFree(qualified) { return (qualified, true) }
            attempt += 1
        }
    }

    /// Whether no document has the legacy ID, or had it before its collection was hidden: writes under it would still go to that document.
    func isFree(_ id: String) throws -> Bool {
        try snapshot.document(unifiedID: id) == nil && snapshot.departure(from: .unified, id: id) == nil
    }
}

/// Legacy IDs for documents whose route-derived ID cannot be used.
enum LegacyID {
    /// The maximum length of a qualified ID, in bytes, which every client of the unified keyspace supports.
    static let maximumLength = DocumentID.maximumModernLength

    /// `sales.orders::17` for the document `17` of `sales.orders`, and `sales.orders::17::2` at the second attempt.
    ///
    /// A longer ID is truncated, and ends in `~` and the SHA-1 of the whole ID.
    static func qualified(_ id: String, in collection: CollectionName, attempt: Int) -> String {
        let whole = "\(path(of: collection))::\(id)"
        let counter = attempt > 1 ? "::\(attempt)" : ""
        guard whole.utf8.count + counter.utf8.count > maximumLength else { return whole + counter }
        let end = "~\(digest(whole))\(counter)"
        return prefix(of: whole, maximumLength - end.utf8.count) + end
    }

    /// The collection's part of a qualified ID. A document ID may not begin with an underscore, so `_default` is omitted or renamed.
    private static func path(of collection: CollectionName) -> String {
        guard collection.scope == CollectionName.default.scope else { return collection.description }
        return collection == .default ? "default" : collection.name
    }

    private static func digest(_ text: String) -> String {
        Hex.text(AttachmentDigest.sha1(of: Array(text.utf8)).bytes)
    }

    /// As many whole Unicode scalars as fit into `count` bytes.
    private static func prefix(of text: String, _ count: Int) -> String {
        var result = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            length += UTF8.width(scalar)
            guard length <= count else { break }
            result.append(scalar)
        }
        return String(result)
    }
}
