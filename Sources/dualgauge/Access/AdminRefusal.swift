/// An answer of the admin port that is no success.
struct AdminRefusal: Error {
    let status: Int
    let reason: String

    /// What happened and what to do.
    var message: String {
        switch status {
        case 401 where reason == "Login required":
            "the admin port asks for a login (401); give --admin-user NAME, and the password in DUALGAUGE_ADMIN_PASSWORD"
        case 401: "the admin port does not accept the login (401); check --admin-user and DUALGAUGE_ADMIN_PASSWORD"
        case 404 where reason == "missing": "there is no such user, role or session"
        case 404 where reason.isEmpty || reason.hasPrefix("no such database"):
            "\(reason.isEmpty ? "not found" : reason) (404); is the database's name right?"
        case 404: "\(reason) (404)"
        case 409: "there is one of that name already; use `set` to change it"
        default: "\(reason.isEmpty ? "refused" : reason) (\(status))"
        }
    }
}
