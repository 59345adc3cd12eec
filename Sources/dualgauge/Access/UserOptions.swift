import ArgumentParser
import Documents
import Foundation

/// What users have besides channels.
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
        if passwordStdin, password != nil { throw ValidationError("--password and --password-stdin do not go together.") }
    }

    /// As members of the admin port's JSON; what was not given is left out, and stays as it is.
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
