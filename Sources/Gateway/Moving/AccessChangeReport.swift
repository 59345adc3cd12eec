import Access
import Storage

/// Who sees other documents after moves than before.
public struct AccessChangeReport: Codable, Sendable, Equatable {
    /// Documents that somebody no longer sees.
    public var lostDocuments = 0

    /// Documents that somebody sees who did not.
    public var gainedDocuments = 0

    /// How many users no longer see some document, and the first names. The guest is `GUEST`.
    public var losing = Users()
    public var gaining = Users()

    /// Documents that leave the unified keyspace, because their new collection is hidden. The counts above are of the collections themselves.
    public var hiddenDocuments = 0

    /// Documents that give access otherwise than before, and to whom. What that changes is not counted above.
    public var regrantingDocuments = 0
    public var regranted = Users()

    /// Documents that would give something that they do not give already, and what. Such grants are made only where they are allowed.
    public var newlyGrantingDocuments = 0
    public var newGrants: [NewGrant] = []

    /// Documents of which it was not worked out.
    public var untold = 0

    public struct Users: Codable, Sendable, Equatable {
        public var count = 0
        public var names: [String] = []

        mutating func add(_ name: String) {
            count += 1
            if names.count < 5 { names.append(name) }
        }
    }

    public var isEmpty: Bool {
        losing.count == 0 && gaining.count == 0 && hiddenDocuments == 0 && regrantingDocuments == 0 && untold == 0
            && newlyGrantingDocuments == 0
    }

    /// What somebody is newly given by moved documents.
    public struct NewGrant: Codable, Sendable, Equatable {
        /// `user "bob"`, `role "staff"`.
        public var to: String

        /// By the collection in which they hold.
        public var channels: [String: [String]] = [:]
        public var roles: [String] = []

        /// As many users and roles are named.
        static let limit = 1_000

        mutating func sort() {
            channels = channels.mapValues { $0.sorted() }
            roles.sort()
        }
    }
}

/// Works out for each user what moves change.
extension Database {
    /// How many ways are compared for users at the most.
    private static var comparisons: Int { 20_000_000 }

    public func accessChangeReport(_ tally: AccessChangeTally) async throws -> AccessChangeReport {
        let changes = tally.changes.sorted { $0.value > $1.value }
        var report = AccessChangeReport()
        report.untold = tally.untold
        report.hiddenDocuments = tally.hidden
        report.regrantingDocuments = tally.regranting
        report.newlyGrantingDocuments = tally.newlyGranting
        report.newGrants = newGrants(tally)
        for name in tally.grantees.map(\.description).sorted() { report.regranted.add(name) }
        guard !changes.isEmpty else { return report }
        var comparison = AccessComparison(changes: changes.map(\.key))
        var remaining = Self.comparisons
        var last = ""
        while remaining > 0 {
            let (after, soFar) = (last, comparison)
            let step = try await store.read { snapshot in
                var comparison = soFar
                let users = try snapshot.principals(.user, after: after, limit: 100)
                for user in users {
                    let name = user.grantee.name
                    // Who is shut out sees nothing, before and after.
                    let principal: Principal = name == User.guestName ? .guest : .user(name)
                    guard (try? RightsReader.rights(of: principal, in: snapshot)) != nil else { continue }
                    comparison.add(try RightsReader.access(of: user.grantee, in: snapshot), of: name)
                }
                return (comparison, users.last?.grantee.name)
            }
            comparison = step.0
            guard let name = step.1 else { break }
            last = name
            remaining -= 100 * changes.count
        }
        for (index, change) in changes.enumerated() {
            if comparison.lost.contains(index) { report.lostDocuments += change.value }
            if comparison.gained.contains(index) { report.gainedDocuments += change.value }
        }
        (report.losing, report.gaining) = (comparison.losing, comparison.gaining)
        return report
    }
}

/// Which changes take documents out of somebody's sight, or bring them into it.
private struct AccessComparison: Sendable {
    let changes: [AccessChangeTally.Change]
    var lost: Set<Int> = []
    var gained: Set<Int> = []
    var losing = AccessChangeReport.Users()
    var gaining = AccessChangeReport.Users()

    init(changes: [AccessChangeTally.Change]) {
        self.changes = changes
    }

    mutating func add(_ access: [CollectionKey: ChannelAccess], of user: String) {
        var (loses, gains) = (false, false)
        for (index, change) in changes.enumerated() {
            let saw = Self.access(to: change.from, access).includes(anyOf: change.before)
            let sees = Self.access(to: change.to, access).includes(anyOf: change.after)
            guard saw != sees else { continue }
            if saw {
                loses = true
                lost.insert(index)
            } else {
                gains = true
                gained.insert(index)
            }
        }
        if loses { losing.add(user) }
        if gains { gaining.add(user) }
    }

    /// What is given for the default collection holds in a collection that is not there yet.
    private static func access(to key: CollectionKey, _ access: [CollectionKey: ChannelAccess]) -> ChannelAccess {
        access[key] ?? access[.default] ?? .publicOnly
    }
}
