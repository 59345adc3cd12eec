import ModernProtocol

/// The local database of a 2.x+ client: its messages about its documents, and the handling of received revisions.
protocol LocalDatabase: AnyObject {
    /// The subprotocols that it offers.
    var subprotocol: Subprotocol { get }
    var holdings: [Place: Holding] { get }

    /// Its UUID, if it sends one.
    var uuid: String? { get }

    /// Changes a document.
    ///
    /// - Returns: The new revision; `nil` if there was nothing to do.
    func edit(_ edit: Edit, _ subject: Subject, at place: Place, ledger: Ledger) throws -> String?

    /// Whether the server is not known to have the document's revision.
    func isDirty(_ place: Place) -> Bool

    /// Whether a document was changed here and never sent.
    func isEdited(_ place: Place) -> Bool

    /// The local sequence of a document's newest revision.
    func sequence(of place: Place) -> Int

    /// The revision of a document to push.
    func offer(_ place: Place) -> Offer?

    /// Stores the server's revision that conflicts with a push.
    ///
    /// - Returns: Whether the local revision follows it, so that only the acknowledgement was lost.
    func follows(_ current: String, at place: Place) -> Bool

    /// Records that the server has the offered revision.
    ///
    /// - Throws: ``UnexpectedMessage`` if this would damage the database.
    func recordAcknowledged(_ offer: Offer, at place: Place) throws

    /// The client's reply to a row of the server's feed: its revisions of a wanted document, newest first; `nil` for an unwanted document.
    func ancestors(of revision: String, at place: Place) throws -> [String]?

    /// The body of a revision, as the base of a delta; `nil` if it is not stored.
    func body(of revision: String, at place: Place) -> [UInt8]?

    /// Stores a revision of the server, and resolves a conflict.
    func store(_ arrival: Arrival, at place: Place, ledger: Ledger) throws

    /// Discards the server's known revisions, because the server appears to be another one.
    func forgetServer()

    /// A copy of the database, which develops independently.
    ///
    /// - Parameter name: The source of the copy's UUID; `nil` for a backup, which keeps the UUID.
    func copy(for name: String?) throws -> any LocalDatabase

    /// Removes a document.
    func purge(_ place: Place)
}

/// A revision that a client offers.
struct Offer {
    let revision: String

    /// The server's known revision of it; empty for none.
    let parent: String

    /// Both as `proposeChanges` names them, if it uses whole vectors.
    var whole: (revision: String, parent: String)?

    /// The history of the revision's message.
    let history: String?
    let content: Content
    let sequence: Int

    /// The `revpos` of its attachment; `nil` for clients without `revpos`.
    let generation: Int?

    /// The body of the parent, if it is stored.
    let base: [UInt8]?
}

/// A received revision.
struct Arrival {
    let revision: String
    let history: String?
    let content: Content

    /// The whole body, as received.
    let body: [UInt8]
}
