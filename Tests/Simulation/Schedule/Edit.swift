/// A user's edit of a document on a device.
enum Edit: Hashable, Sendable, CustomStringConvertible {
    /// Writes a new revision, or a new document.
    case write(number: Int, hasPhoto: Bool)
    case delete
    /// Writes another revision beside the present one. Only 1.x keeps both; other clients overwrite it.
    case branch(number: Int)
    /// Merges all leaves into one, and deletes the others.
    case resolve(number: Int)

    var description: String {
        switch self {
        case .write(let number, let hasPhoto): "writes \(number)\(hasPhoto ? " with a photo" : "") into"
        case .delete: "deletes"
        case .branch(let number): "writes \(number) beside the present version of"
        case .resolve(let number): "resolves with \(number) the conflicts of"
        }
    }
}

extension Edit {
    /// The edit of a client that keeps one branch; `nil` if there is nothing to do.
    func content(_ subject: Subject, over old: Content?) -> Content? {
        switch self {
        case .write(let number, let hasPhoto): .made(number, subject, hasPhoto)
        case .branch(let number), .resolve(let number): .made(number, subject, false)
        case .delete: old.map(\.isDeleted) == false ? .tombstone : nil
        }
    }
}
