/// One kind of request of the matrix: how it is asked, and what each caller is to be told.
struct MatrixRow: Sendable {
    /// The route that answers it, as ``MatrixRoutes`` names it.
    let route: String
    let path: String
    var body = ""
    var headers = ""

    /// The statuses for whoever sees the document, for users and guests who do not, and at the admin port.
    let insider: Int
    let outsider: Int
    let administrator: Int

    /// The status for those who are shut out.
    var shutOut = 401

    /// Whether it makes a document of the ID, or ends the session, so that a second request is answered otherwise. A document cannot be made where
    /// there is one already: whoever may write and asks to create one learns whether its ID is taken, here as in Sync Gateway.
    var changes = false

    var method: String { String(route.split(separator: " ")[0]) }

    /// - Parameter path: behind the database; `ID` and `REV` stand for the document's.
    init(
        _ route: String, _ path: String, _ body: String = "", headers: String = "", insider: Int, outsider: Int, administrator: Int? = nil,
        shutOut: Int = 401, changes: Bool = false
    ) {
        self.route = route
        self.path = path
        self.body = body
        self.headers = headers
        self.insider = insider
        self.outsider = outsider
        self.administrator = administrator ?? insider
        self.shutOut = shutOut
        self.changes = changes
    }

    func expected(_ caller: MatrixCaller) -> Int {
        if caller.isShutOut { return shutOut }
        switch caller {
        case .userWithChannel: return insider
        case .administrator: return administrator
        default: return outsider
        }
    }
}
