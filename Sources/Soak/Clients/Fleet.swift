/// The clients of a soak, distributed according to the seed.
struct Fleet {
    /// Clients per channel, so that each document concerns about as many clients.
    private static let company = 20

    /// Number of documents of a writer and of an app.
    private static let documents = (writer: 100, app: 3)

    /// Seconds between two edits of an app.
    private static let pause = 10.0...50.0

    /// Pause of clients that do not edit.
    private static let never = 1e6...1e6

    let clients: [any SoakClient]

    /// Users besides ``SoakAccount/everything``.
    let users: [SoakAccount]

    init(_ world: World) throws {
        let count = world.settings.clients
        let channels = max(1, count / Self.company)
        var users = (0..<channels).map { SoakAccount.user($0) }
        let names = users.compactMap(\.channel) + [SoakAccount.publicChannel]
        var numbers = SeededNumbers(world.settings.seed)
        var clients: [any SoakClient] = []

        func documents(of account: SoakAccount?, scope: Scope = .flat) throws -> PushedDocuments {
            let (kind, count) = account == nil ? ("writer", Self.documents.writer) : ("app", Self.documents.app)
            let channels = account.map { [$0.channel ?? SoakAccount.publicChannel] } ?? names
            let documents = try EditedDocuments(
                "\(kind)\(clients.count)", channels: channels, count: count, scope: scope, seed: numbers.next())
            return PushedDocuments(documents)
        }

        // Writers of each protocol.
        for number in 0..<(world.settings.writers ?? max(4, count / 32)) {
            let account = SoakAccount.everything
            switch number % 4 {
            case 0:
                clients.append(ScriptWriter(world, account, "script\(number)", channels: names, count: Self.documents.writer))
            case 1: clients.append(LegacyPusher(world, account, try documents(of: nil)))
            case let kind:
                let unread = Holding(account, .number, scope: number % 8 < 4 ? .orders : kind == 2 ? .flat : .notes)
                let own = try documents(of: nil, scope: unread.scope)
                clients.append(
                    ModernApp(world, kind == 2 ? .third : .fourth, unread, own, pulls: false, batch: 20, pause: 0...0))
            }
        }
        for _ in 0..<max(1, count / 50) { clients.append(SlowReader(world: world, account: .everything)) }
        for number in 0..<max(2, count / 20) { clients.append(VanishingClient(world: world, account: users[number % users.count])) }

        /// Adds an app; the number selects its kind.
        func addApp(_ number: Int, _ account: SoakAccount, pause: ClosedRange<Double>) throws {
            let scope: Scope = number % 9 == 7 ? .orders : number % 9 == 8 ? .notes : .flat
            let own = try documents(of: account, scope: scope)
            switch number % 9 {
            case 0: clients.append(LegacyApp(world, Holding(account, .revision), own, pause: 5...15))
            case 1, 2: clients.append(LegacyFollower(world, .longpoll, Holding(account, .revision), own, pause: pause))
            case 3: clients.append(LegacyFollower(world, .continuous, Holding(account, .revision), own, pause: pause))
            case 4: clients.append(LegacyFollower(world, .websocket, Holding(account, .revision), own, pause: pause))
            case 5: clients.append(ModernApp(world, .second, Holding(account, .number), own, pause: pause))
            case 6: clients.append(ModernApp(world, .third, Holding(account, .number), own, pause: pause))
            case 7: clients.append(ModernApp(world, .third, Holding(account, .number, scope: scope), own, pause: pause))
            default: clients.append(ModernApp(world, .fourth, Holding(account, .number, scope: scope), own, pause: pause))
            }
        }

        // Most clients follow a feed and edit from time to time. A few read every channel, some are guests, and most read one channel.
        var number = 0
        while clients.count < count {
            let account: SoakAccount =
                number % 200 == 7 ? .everything : number % 10 == 9 ? .guest : users[Int.random(in: users.indices, using: &numbers)]
            try addApp(number, account, pause: Self.pause)
            number += 1
        }
        // Idle clients follow channels without writers. The app with the normal feed polls, so it is not among them.
        let idle = (0..<world.settings.idle).map { SoakAccount.user(channels + $0 / Self.company) }
        for (number, account) in idle.enumerated() { try addApp(number / 8 * 9 + number % 8 + 1, account, pause: Self.never) }
        users += stride(from: 0, to: idle.count, by: Self.company).map { idle[$0] }
        self.clients = clients
        self.users = users
    }
}
