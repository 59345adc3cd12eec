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
