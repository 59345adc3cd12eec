/// Users and roles have the same commands.
enum AccountKind: String {
    case user
    case role

    /// Its folder on the admin port.
    var path: String { "_\(rawValue)/" }
}
