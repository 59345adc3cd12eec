import HTTP

/// The login of a client, and the channel that the login can see.
struct Account: Sendable {
    /// The channel of guests.
    static let publicChannel = "public"

    static let password = "of the soak"

    /// A user of every channel.
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
