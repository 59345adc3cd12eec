import ArgumentParser
import Foundation
import HTTP

/// Where a bridge's admin port is, and which database is meant.
struct AdminPlace: Equatable {
    /// The port's address without a path: `http://127.0.0.1:4985`. It has no credentials in it.
    let base: String
    let database: String?

    /// The login in the URL; the password is empty where it has none.
    let credentials: BasicCredentials?

    /// - Parameters:
    ///   - url: the admin port's address. A database may stand in its path.
    ///   - database: a database's name that stands beside it.
    /// - Throws: `ValidationError` that does not repeat the URL, in which there may be a password.
    init(_ url: String, database: String? = nil) throws {
        guard var parts = WebURL(url, schemes: WebURL.http)?.parts, parts.query == nil, parts.fragment == nil else {
            throw ValidationError("The admin port's address has to be a URL such as http://127.0.0.1:4985.")
        }
        let path = parts.percentEncodedPath.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
        guard path.count <= 1, database == nil || path.isEmpty || path.first == database else {
            throw ValidationError(
                "The admin port's address has no path: it is a URL such as http://127.0.0.1:4985, and the database's name stands beside it."
            )
        }
        credentials = parts.user.map { BasicCredentials(user: $0, password: parts.password ?? "") }
        self.database = database ?? path.first
        (parts.user, parts.password, parts.percentEncodedPath) = (nil, nil, "")
        guard let base = parts.string else {
            throw ValidationError("The admin port's address has to be a URL such as http://127.0.0.1:4985.")
        }
        self.base = base
    }
}
