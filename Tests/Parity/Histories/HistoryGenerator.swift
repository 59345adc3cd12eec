import TestSupport

/// Generates a history. The same seed and dialect give the same history.
struct HistoryGenerator {
    private var random: SeededGenerator
    private let seed: UInt64
    private let dialect: Dialect
    private var written: [(id: String, keyspace: String, number: Int)] = []
    private let channels = ["a", "b", "c"]
    private let users = ["anna", "bert"]
    private let roles = ["team", "crew"]
    private let ids = ["d1", "d2", "d3", "d4"]

    /// Clients that have pulled.
    private var begun: Set<String> = []

    init(seed: UInt64, dialect: Dialect) {
        random = SeededGenerator(seed: seed)
        self.seed = seed
        self.dialect = dialect
    }

    mutating func history() -> History {
        let keepsTombstones = chance(1, in: 2)
        let clients = (1...Int.random(in: 2...4, using: &random)).map { client("c\($0)") }
        var steps: [Step] = []
        // Accounts come first, or after the documents, as in a migration.
        if chance(2, in: 3) { steps += opening() }
        let count = Int.random(in: 10...28, using: &random)
        while steps.count < count { steps.append(step(number: steps.count + 1, clients)) }
        steps += clients.map { .pull(client: $0.name, once: false) }
        let numbered = steps.enumerated().map { History.Numbered(number: $0.offset + 1, step: $0.element) }
        // Checks of passwords take a server long.
        return History(
            seed: seed, dialect: dialect, keepsTombstones: keepsTombstones, hasPasswords: chance(1, in: 12), clients: clients,
            steps: numbered)
    }

    // MARK: Drawing

    private mutating func chance(_ one: Int, in all: Int) -> Bool { Int.random(in: 0..<all, using: &random) < one }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    private mutating func some(_ elements: [String], atMost count: Int) -> [String] {
        let count = Int.random(in: 0...count, using: &random)
        return Array(Set((0..<count).map { _ in pick(elements) })).sorted()
    }

    private mutating func anyUser() -> String { chance(1, in: 6) ? Client.guest : pick(users) }

    private mutating func anyWriter() -> String { chance(2, in: 3) ? Write.administrator : anyUser() }

    /// Mostly the same ID, so that enough edits meet in one document.
    private mutating func keyspace() -> String { chance(3, in: 4) ? dialect.keyspaces.first ?? "" : pick(dialect.keyspaces) }

    private mutating func granted() -> [String] { chance(1, in: 5) ? some(channels, atMost: 1) + ["*"] : some(channels, atMost: 2) }

    private mutating func client(_ name: String) -> Client {
        var client = Client(name: name, user: anyUser(), feed: pick([.normal, .normal, .longpoll, .continuous, .blip, .blip, .blip]))
        client.keyspace = keyspace()
        client.allLeaves = client.feed != .blip && chance(2, in: 3)
        if chance(1, in: 5) { client.channels = Array(Set([pick(channels), pick(channels + ["!"])])).sorted() }
        // A Sync Gateway's waiting feed sometimes sends rows that it had left out.
        client.activeOnly = (client.feed == .normal || client.feed == .blip) && chance(1, in: 6)
        if client.feed != .continuous, chance(1, in: 4) { client.limit = Int.random(in: 1...3, using: &random) }
        client.revocations = dialect.supportsRevocations && client.feed == .blip && chance(2, in: 3)
        return client
    }

    // MARK: Steps

    private mutating func opening() -> [Step] {
        var steps: [Step] = users.map { .account(whole(Account(name: $0, keyspace: keyspace(), channels: granted()))) }
        if chance(1, in: 2) { steps.append(.account(whole(Account(name: Client.guest, keyspace: keyspace(), channels: granted())))) }
        return steps
    }

    private mutating func step(number: Int, _ clients: [Client]) -> Step {
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<9: .write(write(number))
        case 9..<14: .account(whole(account()))
        case 14: chance(1, in: 2) ? .drop(chance(1, in: 2) ? pick(users) : Account.rolePrefix + pick(roles)) : .account(whole(account()))
        case 15: other(clients)
        case 16: chance(1, in: 3) ? .close(client: pick(clients).name) : open(pick(clients))
        default: pull(pick(clients))
        }
    }

    private mutating func other(_ clients: [Client]) -> Step {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return .forget(client: pick(clients).name)
        case 1: return .list(by: anyUser(), keyspace: keyspace())
        default:
            guard !written.isEmpty else { return .list(by: anyUser(), keyspace: keyspace()) }
            let revision = pick(written)
            return .read(id: revision.id, revision: "s\(revision.number)", by: anyUser(), keyspace: revision.keyspace)
        }
    }

    /// A continuous feed has to see the marker. An open feed of active documents has deletions from its first end on. For a client that goes on, a
    /// Sync Gateway sends earlier deletions at random.
    private mutating func open(_ client: Client) -> Step {
        let seesMarker = client.channels?.contains("!") ?? true
        let isFirst = begun.insert(client.name).inserted
        let canStay = seesMarker && (client.feed == .continuous || client.feed == .blip) && (isFirst || !client.activeOnly)
        return canStay ? .open(client: client.name) : .pull(client: client.name, once: false)
    }

    private mutating func pull(_ client: Client) -> Step {
        begun.insert(client.name)
        return .pull(client: client.name, once: client.limit != nil && client.feed != .blip && chance(1, in: 2))
    }

    private mutating func account() -> Account {
        let keyspace = self.keyspace()
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: return Account(name: Account.rolePrefix + pick(roles), keyspace: keyspace, channels: granted())
        case 2: return Account(name: Client.guest, keyspace: keyspace, channels: granted(), isDisabled: chance(1, in: 6))
        case 3: return Account(name: pick(users), keyspace: keyspace, roles: some(roles, atMost: 2))
        case 4: return Account(name: pick(users), keyspace: keyspace, channels: granted(), roles: some(roles, atMost: 1))
        default: return Account(name: pick(users), keyspace: keyspace, channels: granted())
        }
    }

    /// Sync Gateway 2.8 revokes channels and roles that a request does not name, 3.2 and a bridge keep them. Histories for 2.8 name everything.
    private func whole(_ account: Account) -> Account {
        guard dialect == .gateway28 else { return account }
        var account = account
        account.channels = account.channels ?? []
        // In 2.8, a guest without channels does not see `!` either.
        if account.name == Client.guest, account.channels == [] { account.channels = ["!"] }
        if !account.name.hasPrefix(Account.rolePrefix), account.name != Client.guest { account.roles = account.roles ?? [] }
        return account
    }

    private mutating func write(_ number: Int) -> Write {
        let isReplicated = chance(1, in: 4)
        let isPushed = !isReplicated && chance(1, in: 5)
        let isBatch = isReplicated || !isPushed && chance(1, in: 4)
        var write = Write(
            by: isPushed ? anyUser() : anyWriter(), keyspace: keyspace(), isBatch: isBatch, isReplicated: isReplicated, isPushed: isPushed,
            edits: [])
        // A Sync Gateway loses attachments of branches, and a user may not see the attachment to keep.
        let canKeep = write.by == Write.administrator && !isReplicated
        for id in isBatch || isPushed ? Array(Set((0..<3).map { _ in pick(ids) })).sorted() : [pick(ids)] {
            var edit = anyEdit(id)
            if isReplicated {
                edit.digest = pick(["0", "f"])
                edit.parent = parent(id, write.keyspace)
            }
            // Usually the client has the winner.
            if isPushed {
                edit.digest = pick(["0", "f"])
                if chance(1, in: 4) { edit.parent = parent(id, write.keyspace) }
            }
            if !edit.isDeleted, chance(1, in: 4) { edit.file = canKeep && chance(1, in: 2) ? .kept : .new }
            write.edits.append(edit)
            written.append((id, write.keyspace, number))
        }
        return write
    }

    /// A revision of the present document, if it has a name: only the first revision of a document has one.
    private mutating func parent(_ id: String, _ keyspace: String) -> String? {
        let earlier = written.filter { $0.id == id && $0.keyspace == keyspace }
        guard !earlier.isEmpty, chance(3, in: 4) else { return nil }
        return "s\(pick(earlier).number)"
    }

    private mutating func anyEdit(_ id: String) -> Edit {
        var edit = Edit(id: id)
        edit.isDeleted = chance(1, in: 6)
        guard !edit.isDeleted || chance(1, in: 3) else { return edit }
        edit.channels = chance(1, in: 12) ? ["!"] : some(channels, atMost: 2)
        // With the `*` of a role, a Sync Gateway shows a document without channels in feeds, and refuses to return it.
        if edit.channels == [] { edit.channels = ["z"] }
        guard !edit.isDeleted else { return edit }
        let receivers = users + roles.map { Account.rolePrefix + $0 }
        if chance(1, in: 6) { edit.access = Edit.Gift(to: pick(receivers), what: chance(1, in: 8) ? ["*"] : [pick(channels)]) }
        if chance(1, in: 10) { edit.role = Edit.Gift(to: pick(users), what: [Account.rolePrefix + pick(roles)]) }
        if chance(1, in: 14) { edit.owner = pick(users) }
        if chance(1, in: 14) { edit.needs = pick(channels) }
        return edit
    }
}
