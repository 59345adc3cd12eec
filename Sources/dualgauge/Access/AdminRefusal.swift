/// An answer of the admin port that is no success.
struct AdminRefusal: Error {
    let status: Int
    let reason: String

    /// What happened and what to do.
    var message: String {
        switch status {
        case 404 where reason == "missing": "there is no such user, role or session"
        case 404: "\(reason.isEmpty ? "not found" : reason) (404); is the database's name right?"
        case 409: "there is one of that name already; use `set` to change it"
        default: "\(reason.isEmpty ? "refused" : reason) (\(status))"
        }
    }
}
