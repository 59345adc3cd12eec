import Access
import Authentication
import BridgeConfiguration
import Documents
import HTTP
import HTTPTypes
import HummingbirdCore
import ReplicationService
import Storage

/// `_user/` and `_role/` of the admin port.
enum AccountEndpoint {
    typealias Handler = @Sendable (AdminCall) async throws -> Response

    static func get(_ kind: PrincipalKind) -> Handler {
        { call in
            guard let account = try await call.access.accounts.account(Grantee(kind, call.name)) else {
                throw AdminError(.notFound, "missing")
            }
            return SessionAnswer.answer(AccountOutput(account, in: call.database).json)
        }
    }

    static func put(_ kind: PrincipalKind) -> Handler {
        { call in
            let input = try AccountInput(try await call.json(), kind, in: call.database)
            guard input.name == nil || input.name == call.name else {
                throw AdminError(.badRequest, "Name mismatch (can't change name)")
            }
            return try await write(input, as: Grantee(kind, call.name), replacing: true, call)
        }
    }

    static func post(_ kind: PrincipalKind) -> Handler {
        { call in
            let input = try AccountInput(try await call.json(), kind, in: call.database)
            guard let name = input.name else { throw AdminError(.badRequest, "Missing name property") }
            return try await write(input, as: Grantee(kind, name), replacing: false, call)
        }
    }

    static func delete(_ kind: PrincipalKind) -> Handler {
        { call in
            try await call.access.accounts.remove(Grantee(kind, call.name))
            return Response(status: .ok)
        }
    }

    static func listRoles(_ call: AdminCall) async throws -> Response {
        ServerAnswer.names(try await call.access.accounts.names(.role))
    }

    static func listUsers(_ call: AdminCall) async throws -> Response {
        let isNames = try query { () throws(RequestTargetError) in try call.query.bool("name_only") } ?? true
        let limit = try query { () throws(RequestTargetError) in try call.query.int("limit") } ?? 0
        guard !isNames else {
            guard limit <= 0 else { throw AdminError(.badRequest, "Use of limit only supported when name_only=false") }
            return ServerAnswer.names(try await call.access.accounts.names(.user))
        }
        let users = try await call.access.accounts.users(limit: limit > 0 ? limit : nil)
        return SessionAnswer.answer(.array(users.map(AccountOutput.summary)))
    }

    private static func write(_ input: AccountInput, as grantee: Grantee, replacing: Bool, _ call: AdminCall) async throws -> Response {
        let existing = try await call.access.accounts.account(grantee)
        guard existing == nil || replacing else { throw AccessError(.alreadyExists, "Already exists") }
        try input.checkReadOnly(existing, in: call.database)
        var change = input.change
        guard grantee != .user(User.guestName) || input.password == nil && change.passwordHash == nil else {
            throw AdminError(.badRequest, "Error updating user/role: Anonymous users should not have a password")
        }
        if let password = input.password, !password.isEmpty || !call.access.configuration.allowsEmptyPasswords {
            // Sync Gateway's rule. It does not apply to accounts of a configuration or to existing accounts.
            guard !(1..<ConfiguredAccount.minimumPassword).contains(password.utf8.count) else {
                throw AdminError(.badRequest, "Passwords must be at least \(ConfiguredAccount.minimumPassword) characters")
            }
            change.passwordHash = try await call.access.passwords.hash(password, replacing: existing?.user?.passwordHash)
        } else if grantee.kind == .user, existing == nil, change.passwordHash == nil, !call.access.configuration.allowsEmptyPasswords {
            throw AdminError(.badRequest, "Error creating user: Empty passwords are not allowed ")
        }
        let isNew = try await call.access.accounts.put(grantee, change, replacing: replacing)
        return Response(status: isNew ? .created : .ok)
    }

    private static func query<Value>(_ read: () throws(RequestTargetError) -> Value) throws(AdminError) -> Value {
        do {
            return try read()
        } catch {
            throw AdminError(.badRequest, error.message)
        }
    }
}
