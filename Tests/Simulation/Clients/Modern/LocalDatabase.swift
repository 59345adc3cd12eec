import ModernProtocol

/// The local database of a 2.x+ client: what it tells the other side of its documents, and what it makes of those that come.
protocol LocalDatabase: AnyObject {
    /// What it speaks to servers.
    var subprotocol: Subprotocol { get }
    var holdings: [Place: Holding] { get }

    /// Its UUID, if it tells it.
    var uuid: String? { get }

    /// Changes a document.
    ///
    /// - Returns: the new revision; `nil` if there was nothing to do.
    func edit(_ edit: Edit, _ subject: Subject, at place: Place, ledger: Ledger) throws -> String?

    /// Whether the server is not known to have what is here.
    func isDirty(_ place: Place) -> Bool

    /// Whether a document was changed here and nowhere told.
    func isEdited(_ place: Place) -> Bool

    /// The local sequence of a document's newest revision.
    func sequence(of place: Place) -> Int

    /// What is to be pushed of a document.
    func offer(_ place: Place) -> Offer?

    /// Takes the server's revision that stands in the way of a push.
    ///
    /// - Returns: Whether what is here follows it, so that only its arrival there was not heard of.
    func follows(_ current: String, at place: Place) -> Bool

    /// The server has what was offered.
    ///
    /// - Throws: ``Surprise`` where the database would be damaged by that.
    func noteAcknowledged(_ offer: Offer, at place: Place) throws

    /// What the client answers to a row of the server's feed: what it has of a document that it wants, newest first; `nil` if it wants nothing.
    func ancestors(of revision: String, at place: Place) throws -> [String]?

    /// The body of a revision, on which a delta builds; `nil` if it is not kept.
    func body(of revision: String, at place: Place) -> [UInt8]?

    /// Takes a revision of the server's, and resolves the conflict if it is one.
    func take(_ arrival: Arrival, at place: Place, ledger: Ledger) throws

    /// Forgets what the server has: it is another one, to all appearance.
    func forgetServer()

    /// The same database, from here on by itself.
    ///
    /// - Parameter name: Makes the UUID of a copy; `nil` for a backup, which keeps it.
    func copy(for name: String?) throws -> any LocalDatabase

    /// Forgets a document.
    func purge(_ place: Place)
}

/// A revision that a client offers.
struct Offer {
    let revision: String

    /// What the server is known to have of it; empty for nothing.
    let parent: String

    /// Both as `proposeChanges` names them, where that is by whole vectors.
    var whole: (revision: String, parent: String)?

    /// As it goes with the revision.
    let history: String?
    let content: Content
    let sequence: Int

    /// The `revpos` of its attachment; `nil` where clients know of none.
    let generation: Int?

    /// The body of the parent, where it is kept.
    let base: [UInt8]?
}

/// A revision that a client was sent.
struct Arrival {
    let revision: String
    let history: String?
    let content: Content

    /// The whole body, as it stood on the wire.
    let body: [UInt8]
}
