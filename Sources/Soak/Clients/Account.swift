import HTTP

/// Who a client is, and what that lets it see.
struct Account: Sendable {
    /// What guests see.
    static let publicChannel = "public"

    static let password = "of the soak"

    /// Whom every channel is open to.
    static let everything = Account(user: "everything", channel: nil)
    static let guest = Account(user: nil, channel: publicChannel)

    /// `nil` for the guest.
    let user: String?

    /// `nil` for all.
    let channel: String?

    /// A user with a channel of that number.
    static func user(_ number: Int) -> Account { Account(user: "user\(number)", channel: "c\(number)") }

    var credentials: BasicCredentials? { user.map { BasicCredentials(user: $0, password: Self.password) } }

    /// As the admin port takes it.
    var json: String { #"{"admin_channels":["\#(channel ?? "*")"],"password":"\#(Self.password)"}"# }
}
