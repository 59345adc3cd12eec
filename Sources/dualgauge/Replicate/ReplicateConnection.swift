import Access
import ArgumentParser
import BridgeConfiguration
import Server

/// The options for the connection to the other side and the login there.
struct ReplicateConnection: ParsableArguments {
    @Option(help: ArgumentHelp("A user's name and password.", valueName: "name:password"))
    var user: String?

    @Option(help: ArgumentHelp("The ID of a session at the server.", valueName: "id"))
    var session: String?

    @Option(help: ArgumentHelp("The name of the session's cookie.", valueName: "name"))
    var cookieName = ReplicationCredentials.defaultCookieName

    @Option(help: ArgumentHelp("A Facebook access token; 1.x.", valueName: "token"))
    var facebookToken: String?

    @Option(help: ArgumentHelp("A Persona assertion; 1.x.", valueName: "assertion"))
    var personaAssertion: String?

    @Option(help: ArgumentHelp("A PEM file with a client certificate, its chain of authorities, and its key.", valueName: "file"))
    var clientIdentity: String?

    @Option(
        name: .customLong("header"), parsing: .singleValue, help: ArgumentHelp("A further header; repeat it for more.", valueName: "K: V"))
    var headers: [String] = []

    @Option(help: ArgumentHelp("A PEM or DER file with the required certificate of the server.", valueName: "file"))
    var pinnedCert: String?

    @Flag(help: "Accept only a self-signed certificate of the server; with --pinned-cert only that certificate.")
    var selfSignedOnly = false

    @Option(help: ArgumentHelp("Seconds without data after which the connection is tested; 0 for 300.", valueName: "seconds"))
    var heartbeat = 0

    @Option(
        help: ArgumentHelp("The number of attempts; 0 for 10, or for no limit with --continuous; 1 for no retry.", valueName: "number")
    )
    var maxAttempts = 0

    @Option(help: ArgumentHelp("The maximum number of seconds between two attempts; 0 for 300.", valueName: "seconds"))
    var maxAttemptWait = 0

    @Flag(
        inversion: .prefixedNo,
        help: "Whether differences of revisions are sent and accepted; 2.x+. By default they are, if the server supports them.")
    var deltaSync: Bool?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Whether versions of 4.x are used with a server that supports them; 2.x+. By default replicate uses them."
    )
    var versions: Bool?

    @Option(
        help: ArgumentHelp(
            "An HTTP proxy, such as http://proxy:3128, or http://name:password@proxy:3128.", valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("The network interface, by name or address, to connect from; 2.x+.", valueName: "name"))
    var networkInterface: String?

    func validate() throws {
        guard [user, session, facebookToken, personaAssertion, clientIdentity].filter({ $0 != nil }).count <= 1 else {
            throw ValidationError("Give one of --user, --session, --facebook-token, --persona-assertion and --client-identity.")
        }
        if let user, user.isEmpty || !user.contains(":") { throw ValidationError("--user takes name:password.") }
        for header in headers where !header.contains(":") { throw ValidationError("--header takes 'Name: value', not \(header).") }
        guard heartbeat >= 0, maxAttempts >= 0, maxAttemptWait >= 0 else {
            throw ValidationError("--heartbeat, --max-attempts and --max-attempt-wait cannot be negative.")
        }
    }

    func apply(to definition: inout ReplicationDefinition) throws {
        definition.credentials = try credentials()
        for header in headers {
            let parts = header.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            definition.headers[parts[0].trimmed] = Secret(parts[1].trimmed)
        }
        definition.pinnedCertificate = try pinnedCert.map { try OptionFile.bytes($0) }
        definition.selfSignedOnly = selfSignedOnly
        definition.heartbeat = heartbeat
        definition.maxAttempts = maxAttempts
        definition.maxAttemptWait = maxAttemptWait
        definition.usesDeltas = deltaSync
        definition.prefersVersions = versions
        definition.proxy = try proxy.map { try ReplicationProxy($0) }
        definition.networkInterface = networkInterface
    }

    private func credentials() throws -> ReplicationCredentials? {
        if let user {
            let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return .basic(user: parts[0], password: Secret(parts[1]))
        }
        if let session { return .session(id: Secret(session), cookieName: cookieName) }
        if let facebookToken { return .facebook(token: Secret(facebookToken)) }
        if let personaAssertion { return .persona(assertion: Secret(personaAssertion)) }
        return try clientIdentity.map { path in
            let file = try OptionFile.text(path)
            return .clientCertificate(chain: Array(file.utf8), key: Secret(file))
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
