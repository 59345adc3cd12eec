/// What a person does to a document on a device.
enum Edit: Hashable, Sendable, CustomStringConvertible {
    /// Writes a new version, or the document where there is none.
    case write(number: Int, hasPhoto: Bool)
    case delete
    /// Writes another version beside the present one. Only 1.x keeps both; others write over it.
    case branch(number: Int)
    /// Makes one version of all, and deletes the others.
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
    /// What a client that keeps one branch writes over what it has; `nil` if there is nothing to do.
    func content(_ subject: Subject, over old: Content?) -> Content? {
        switch self {
        case .write(let number, let hasPhoto): .made(number, subject, hasPhoto)
        case .branch(let number), .resolve(let number): .made(number, subject, false)
        case .delete: old.map(\.isDeleted) == false ? .tombstone : nil
        }
    }
}
