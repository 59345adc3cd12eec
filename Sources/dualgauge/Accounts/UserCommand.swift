import ArgumentParser
import Documents
import Foundation

/// `dualgauge user …`.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Add, change, show and remove users, on a running bridge or on a store.",
        discussion: """
            A user logs in by name and password, by a session, or by another method of the configuration. The channels determine the documents that \
            the user sees: channels of the default collection hold in every collection that legacy clients see.

              dualgauge user add shop alice --password-stdin --channel orders --role staff
              dualgauge user set shop alice --disable-login --admin http://bridge.example.com:4985
              dualgauge user show alice --json --store shop.dualgauge
            """,
        subcommands: [UserAdd.self, UserSet.self, UserShow.self, UserList.self, UserRemove.self])
}

/// `dualgauge user add DATABASE NAME`.
struct UserAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a user.", usage: AccountTarget.usage("user add"),
        discussion: "A user needs a password: give --password or --password-stdin.")

    @OptionGroup var target: AccountTarget
    @OptionGroup var access: AccountAccessOptions
    @OptionGroup var user: UserOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, output: output).add(target, try user.members() + access.members)
    }
}

/// `dualgauge user set DATABASE NAME`.
struct UserSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a user.", usage: AccountTarget.usage("user set"),
        discussion: "Properties that are not given stay unchanged; a list that is given replaces the old one.")

    @OptionGroup var target: AccountTarget
    @OptionGroup var access: AccountAccessOptions
    @OptionGroup var user: UserOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, output: output).set(target, try user.members() + access.members)
    }
}

/// `dualgauge user show DATABASE NAME`.
struct UserShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a user with the channels and roles.", usage: AccountTarget.usage("user show"))

    @OptionGroup var target: AccountTarget
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, output: output).show(target)
    }
}

/// `dualgauge user list`.
struct UserList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List all users by name.")

    @OptionGroup var endpoint: AdminEndpoint
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, output: output).list(endpoint)
    }
}

/// `dualgauge user remove DATABASE NAME`.
struct UserRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a user, and end all his sessions.", usage: AccountTarget.usage("user remove"))

    @OptionGroup var target: AccountTarget
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AccountAction(kind: .user, output: output).remove(target)
    }
}

/// The options of users in addition to channels.
struct UserOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The password. Others on this machine can see it while the command runs.", valueName: "text"))
    var password: String?

    @Flag(help: "Read the password from the first line of standard input.")
    var passwordStdin = false

    @Option(
        name: .customLong("role"), parsing: .singleValue, help: ArgumentHelp("A role; repeat it for more, '' for none.", valueName: "name"))
    var roles: [String] = []

    @Option(help: ArgumentHelp("The email, '' for none.", valueName: "address"))
    var email: String?

    @Flag(inversion: .prefixedEnableDisable, help: "Whether the user may log in. Disabling ends all sessions.")
    var login: Bool?

    func validate() throws {
        if passwordStdin, password != nil { throw ValidationError("--password and --password-stdin exclude each other.") }
    }

    /// The options as members of the admin port's JSON. Omitted options are absent, so that the request does not change them.
    func members() throws -> [JSONMember] {
        var members: [JSONMember] = []
        if let password = try givenPassword() { members.append(JSONMember("password", .string(password))) }
        if !roles.isEmpty { members.append(JSONMember("admin_roles", JSONValue(texts: roles))) }
        if let email { members.append(JSONMember("email", .string(email))) }
        if let login { members.append(JSONMember("disabled", .bool(!login))) }
        return members
    }

    private func givenPassword() throws -> String? {
        guard passwordStdin else { return password }
        guard let line = readLine(), !line.isEmpty else { throw ValidationError("There is no password on standard input.") }
        return line
    }
}
