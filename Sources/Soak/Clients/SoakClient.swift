import Coordination
import HTTP

/// A client of a soak.
protocol SoakClient: Sendable {
    /// Kind of client, for the report.
    var name: String { get }

    /// The documents that the client follows; `nil` if it follows no feed, or does not follow it to the end.
    var followed: Holding? { get }

    /// Runs one session of the client until an error, or until the task is cancelled.
    func live() async throws
}

extension SoakClient {
    var followed: Holding? { nil }

    /// Runs sessions until the task is cancelled, as an app that reconnects does.
    func run(in world: World, after delay: Duration) async {
        // Staggered starts avoid a single burst of load.
        try? await suspend(for: delay)
        while !Task.isCancelled {
            do {
                try await live()
            } catch is CancellationError {
                return
            } catch {
                guard !Task.isCancelled else { return }
                world.record(error, of: name)
            }
            // Apps wait before they retry, too.
            try? await suspend(for: .milliseconds(Int.random(in: 200...1_000)))
        }
    }
}

/// A client's login and the channel that it can read.
struct SoakAccount: Sendable {
    /// The channel of guests.
    static let publicChannel = "public"

    static let password = "of the soak"

    /// A user with access to every channel.
    static let everything = SoakAccount(user: "everything", channel: nil)
    static let guest = SoakAccount(user: nil, channel: publicChannel)

    /// `nil` for the guest.
    let user: String?

    /// `nil` for all channels.
    let channel: String?

    /// A user with the channel of this number.
    static func user(_ number: Int) -> SoakAccount { SoakAccount(user: "user\(number)", channel: "c\(number)") }

    var credentials: BasicCredentials? { user.map { BasicCredentials(user: $0, password: Self.password) } }

    /// Request body for the admin port.
    var json: String { #"{"admin_channels":["\#(channel ?? "*")"],"password":"\#(Self.password)"}"# }
}

/// The part of the database that a client replicates.
enum Scope: Sendable {
    /// The flat keyspace, for clients that do not support collections.
    case flat

    /// The collection of orders.
    case orders

    /// The default collection, which contains the notes.
    case notes

    /// Its name in `getCollections`; `nil` for clients that do not send `getCollections`.
    var collection: String? {
        switch self {
        case .flat: nil
        case .orders: SoakDatabase.collection
        case .notes: "_default"
        }
    }

    /// The values of the property `type` of its documents, which the routes depend on.
    var types: [String] {
        switch self {
        case .flat: ["order", "note"]
        case .orders: ["order"]
        case .notes: ["note"]
        }
    }
}

/// The documents of a client that follows a feed.
final class Holding: Sendable {
    /// How a client identifies edits of a document: by revision ID or edit number.
    enum Mark { case revision, number }

    let account: SoakAccount
    let mark: Mark
    let scope: Scope
    private let state = Lock<[String: String]>([:])

    init(_ account: SoakAccount, _ mark: Mark, scope: Scope = .flat) {
        self.account = account
        self.mark = mark
        self.scope = scope
    }

    var documents: [String: String] { state.withLock { $0 } }

    func record(_ id: String, _ mark: String) {
        state.withLock { $0[id] = mark }
    }

    /// Records the number of an edit unless a later one is recorded. The client's own edit and its row in the feed arrive in any order.
    func record(_ id: String, number: Int) {
        state.withLock { state in
            if let held = state[id].flatMap({ Int($0) }), held >= number { return }
            state[id] = "\(number)"
        }
    }
}
