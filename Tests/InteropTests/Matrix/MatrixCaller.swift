/// Who asks, in the matrix of everything that can be asked.
enum MatrixCaller: String, CaseIterable, Sendable {
    case noCredentials
    case wrongPassword
    case expiredSession
    /// No credentials where the guest is let in; he has a channel, but not the document's.
    case guest
    case userWithoutChannel
    /// A session of that user's, in the place of the one who has the channel.
    case otherUsersSession
    case userWithChannel
    case administrator

    /// Whether he proves nothing that lets him in.
    var isShutOut: Bool { self == .noCredentials || self == .wrongPassword || self == .expiredSession }

    /// Whether the document is his to see.
    var sees: Bool { self == .userWithChannel || self == .administrator }
}
