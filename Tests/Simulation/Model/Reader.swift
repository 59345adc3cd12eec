import TestSupport

/// Who may see what at the bridge, and which users and roles are there already.
final class AccessBook {
    var model = AccessModel()
    var made: Set<String> = []

    /// The one role that there is.
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

    /// What he may see now, by his role as well.
    var channels: Set<String> { book.model.channels(of: name) }

    /// Whether he may see a document that says this. A tombstone is in no channel.
    func sees(_ content: Content) -> Bool {
        content.channel.map { AccessModel.shows([$0], to: channels) } ?? false
    }
}
