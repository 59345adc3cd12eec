/// A step of a history.
enum Step: Hashable {
    case account(Account)

    /// A user or role is removed.
    case drop(String)
    case write(Write)

    /// A client pulls: to the end, or, with its limit, one reply only.
    case pull(client: String, once: Bool)

    /// A client loses its position, and keeps its documents.
    case forget(client: String)

    /// A client opens or closes a continuous feed. A pull then reads its rows.
    case open(client: String)
    case close(client: String)

    /// A user reads the list of all documents.
    case list(by: String, keyspace: String)

    /// A user requests the attachment of a revision.
    case read(id: String, revision: String, by: String, keyspace: String)
}

extension Step {
    /// Whether feeds may have rows after it.
    var changes: Bool {
        switch self {
        case .account, .drop, .write: true
        case .pull, .forget, .open, .close, .list, .read: false
        }
    }
}

extension Step: CustomStringConvertible {
    var description: String {
        switch self {
        case .account(let account): account.description
        case .drop(let name): "drop \(name)"
        case .write(let write): write.description
        case .pull(let client, let once): "pull \(client)\(once ? " once" : "")"
        case .forget(let client): "forget \(client)"
        case .open(let client): "open \(client)"
        case .close(let client): "close \(client)"
        case .list(let by, let keyspace): "list by=\(by)\(keyspace.isEmpty ? "" : " in=\(keyspace)")"
        case .read(let id, let revision, let by, let keyspace):
            "read \(id) revision=\(revision) by=\(by)\(keyspace.isEmpty ? "" : " in=\(keyspace)")"
        }
    }

    init(parsing line: String) throws {
        let words = Words(line)
        switch (words.plain.first, words.plain.dropFirst().first) {
        case ("account", _): self = .account(try Account(parsing: line))
        case ("drop", let name?): self = .drop(name)
        case ("write", _): self = .write(try Write(parsing: line))
        case ("pull", let client?): self = .pull(client: client, once: words.has("once"))
        case ("forget", let client?): self = .forget(client: client)
        case ("open", let client?): self = .open(client: client)
        case ("close", let client?): self = .close(client: client)
        case ("list", _):
            guard let by = words.values["by"] else { throw HistoryTextError(line: line) }
            self = .list(by: by, keyspace: words.values["in"] ?? "")
        case ("read", let id?):
            guard let by = words.values["by"], let revision = words.values["revision"] else { throw HistoryTextError(line: line) }
            self = .read(id: id, revision: revision, by: by, keyspace: words.values["in"] ?? "")
        default: throw HistoryTextError(line: line)
        }
    }
}
