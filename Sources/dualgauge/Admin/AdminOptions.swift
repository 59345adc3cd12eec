import ArgumentParser
import Foundation
import HTTP

/// The address of a running bridge's admin port and the login there, for all commands that use a bridge.
struct AdminOptions: ParsableArguments {
    /// The environment variables that replace omitted options.
    enum Variable: String {
        case address = "DUALGAUGE_ADMIN"
        case user = "DUALGAUGE_ADMIN_USER"
        case password = "DUALGAUGE_ADMIN_PASSWORD"
        case authority = "DUALGAUGE_ADMIN_CA"
        case identity = "DUALGAUGE_ADMIN_IDENTITY"

        var value: String? { ProcessInfo.processInfo.environment[rawValue].flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// The default address of a bridge on this machine.
    private static let standard = "http://127.0.0.1:4985"

    @Option(
        name: .customLong("admin"),
        help: ArgumentHelp("The address of the bridge's admin port (DUALGAUGE_ADMIN; http://127.0.0.1:4985).", valueName: "url"))
    var address: String?

    @Option(
        name: .customLong("admin-user"),
        help: ArgumentHelp(
            "The login at the admin port, if it requires one (DUALGAUGE_ADMIN_USER). Others on this machine can see a password given "
                + "here; put it into DUALGAUGE_ADMIN_PASSWORD.", valueName: "name[:password]"))
    var user: String?

    @Option(
        name: .customLong("admin-ca"),
        help: ArgumentHelp(
            "A PEM file with the authority that has signed the admin port's certificate (DUALGAUGE_ADMIN_CA).", valueName: "file"),
        completion: .file())
    var authority: String?

    @Option(
        name: .customLong("admin-identity"),
        help: ArgumentHelp("A PEM file with a client certificate and its key (DUALGAUGE_ADMIN_IDENTITY).", valueName: "file"),
        completion: .file())
    var identity: String?

    /// Whether the command line has the bridge's address, regardless of the environment.
    var isGiven: Bool { address != nil }

    /// The addresses of the bridge and of a database.
    ///
    /// - Parameter database: its name, or its URL on the admin port; `nil` if the address includes the database.
    /// - Throws: `ValidationError`.
    func place(of database: String?) throws -> (place: AdminAddress, database: String) {
        let place: AdminAddress
        if let database, database.contains("://") {
            guard address == nil else { throw ValidationError("Give the database's name beside --admin, not a second URL.") }
            place = try AdminAddress(database)
        } else {
            place = try AdminAddress(address ?? Variable.address.value ?? Self.standard, database: database)
        }
        guard let name = place.database else {
            throw ValidationError(
                "Name the database beside the admin port's address, as in `shop --admin \(place.base)`.")
        }
        return (place, name)
    }

    /// A connection to a database.
    ///
    /// - Parameters:
    ///   - database: see ``place(of:)``.
    ///   - timeout: the time limit for a reply, in seconds.
    /// - Throws: `ValidationError`.
    func connection(to database: String?, timeout: Int64 = RemoteAdminConnection.timeout) throws -> RemoteAdminConnection {
        let (place, name) = try place(of: database)
        return RemoteAdminConnection(
            "\(place.base)/\(RemoteAdminConnection.segment(name))", credentials: try credentials(place), tls: try tls(), timeout: timeout)
    }

    private func credentials(_ place: AdminAddress) throws -> BasicCredentials? {
        guard place.credentials == nil || user == nil else {
            throw ValidationError("The login is in the URL and in --admin-user; give it once.")
        }
        let text = user ?? Variable.user.value
        guard var credentials = place.credentials ?? text.map({ Self.split($0) }) else { return nil }
        if credentials.password.isEmpty, let password = Variable.password.value {
            credentials = BasicCredentials(user: credentials.user, password: password)
        }
        guard !credentials.user.isEmpty, !credentials.password.isEmpty else {
            throw ValidationError(
                "The login at the admin port needs a name and a password; put the password into DUALGAUGE_ADMIN_PASSWORD.")
        }
        return credentials
    }

    private static func split(_ text: String) -> BasicCredentials {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return BasicCredentials(user: parts[0], password: parts.count > 1 ? parts[1] : "")
    }

    private func tls() throws -> ClientTLS {
        var tls = ClientTLS()
        if let path = authority ?? Variable.authority.value {
            tls.trust = .authorities(try Self.reading(path) { try ClientTLS.certificates($0) })
        }
        if let path = identity ?? Variable.identity.value {
            tls.identity = try Self.reading(path) { try ClientTLS.Identity(chain: $0, key: $0) }
        }
        return tls
    }

    private static func reading<Value>(_ path: String, _ read: ([UInt8]) throws -> Value) throws -> Value {
        let bytes = try OptionFile.bytes(path)
        do {
            return try read(bytes)
        } catch {
            throw ValidationError("\(path) cannot be used: a PEM file is needed, of a certificate, and of its key where one is shown.")
        }
    }
}

/// The address of a bridge's admin port, and the name of a database there.
struct AdminAddress: Equatable {
    /// The port's address without path and credentials, such as `http://127.0.0.1:4985`.
    let base: String
    let database: String?

    /// The login from the URL; the password is empty if the URL has none.
    let credentials: BasicCredentials?

    /// - Parameters:
    ///   - url: the admin port's address. Its path may contain a database.
    ///   - database: the name of a database if the URL has none.
    /// - Throws: `ValidationError`. Its message does not contain the URL, which may include a password.
    init(_ url: String, database: String? = nil) throws {
        guard var parts = WebURL(url, schemes: WebURL.http)?.parts, parts.query == nil, parts.fragment == nil else {
            throw ValidationError("The admin port's address has to be a URL such as http://127.0.0.1:4985.")
        }
        let path = parts.percentEncodedPath.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
        guard path.count <= 1, database == nil || path.isEmpty || path.first == database else {
            throw ValidationError(
                "The admin port's address has no path: it is a URL such as http://127.0.0.1:4985, and the database's name is given beside it."
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
