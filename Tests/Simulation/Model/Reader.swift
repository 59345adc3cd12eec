import TestSupport

/// The access of the bridge's users, and the existing users and roles.
final class AccessBook {
    var model = AccessModel()
    var made: Set<String> = []

    /// The only role.
    static let team = "role:team"
}

/// A user of the bridge who may not see everything.
final class Reader {
    let name: String
    private let book: AccessBook

    init(_ name: String, _ book: AccessBook) {
        self.name = name
        self.book = book
    }

    /// The user's present channels, including those of the role.
    var channels: Set<String> { book.model.channels(of: name) }

    /// Whether the user may see a document with this content. A tombstone is in no channel.
    func sees(_ content: Content) -> Bool {
        content.channel.map { AccessModel.shows([$0], to: channels) } ?? false
    }
}
