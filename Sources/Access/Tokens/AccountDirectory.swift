/// Who is known here: what matching an identity with a user has to ask.
public protocol AccountDirectory: Sendable {
    /// Whether there is a user of this name, disabled ones included.
    func hasUser(named name: String) async throws -> Bool

    /// The names of the users with this e-mail address. More than two need not be given.
    func userNames(withEmail email: String) async throws -> [String]
}
