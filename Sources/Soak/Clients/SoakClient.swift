import HTTP
import Synchronization

/// A client of a soak.
protocol SoakClient: Sendable {
    /// The kind of client, as the report names it.
    var name: String { get }

    /// The documents that the client follows; `nil` if it follows no feed, or not to its end.
    var followed: Holding? { get }

    /// One life of such a client: until an error, or until the task is cancelled.
    func live() async throws
}

extension SoakClient {
    var followed: Holding? { nil }

    /// Lives again and again until the task is cancelled, as an app does that is connected again.
    func run(in world: World, after delay: Duration) async {
        // All at once is no load that goes on.
        try? await Task.sleep(for: delay)
        while !Task.isCancelled {
            do {
                try await live()
            } catch is CancellationError {
                return
            } catch {
                guard !Task.isCancelled else { return }
                world.note(error, of: name)
            }
            // An app waits before it tries again, too.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 200...1_000)))
        }
    }
}

/// The login of a client, and the channel that the login can see.
struct Account: Sendable {
    /// The channel of guests.
    static let publicChannel = "package"

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

/// The part of the database that a client replicates.
enum Scope: Sendable {
    /// The flat keyspace, as all that know no collections.
    case flat

    /// The collection of orders.
    case orders

    /// The default collection, where notes are.
    case notes

    /// As `getCollections` names it; `nil` where that is not asked.
    var collection: String? {
        switch self {
        case .flat: nil
        case .orders: SoakBridge.collection
        case .notes: "_default"
        }
    }

    /// The property `type` of documents that it has; the routes go by it.
    var types: [String] {
        switch self {
        case .flat: ["order", "note"]
        case .orders: ["order"]
        case .notes: ["note"]
        }
    }
}

/// The documents that a client holds which follows a feed.
final class Holding: Sendable {
    /// The mark by which a client tells edits of a document apart.
    enum Mark { case revision, number }

    let account: Account
    let mark: Mark
    let scope: Scope
    private let state = Mutex<[String: String]>([:])

    init(_ account: Account, _ mark: Mark, scope: Scope = .flat) {
        self.account = account
        self.mark = mark
        self.scope = scope
    }

    var documents: [String: String] { state.withLock { $0 } }

    func take(_ id: String, _ mark: String) {
        state.withLock { $0[id] = mark }
    }

    /// Takes the number of an edit, unless a later one is here: the client's own edit and its row in the feed come in any order.
    func take(_ id: String, number: Int) {
        state.withLock { state in
            if let held = state[id].flatMap({ Int($0) }), held >= number { return }
            state[id] = "\(number)"
        }
    }
}
