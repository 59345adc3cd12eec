import Access
import Storage

/// The users whose visible documents change through moves.
package struct AccessChangeReport: Codable, Sendable, Equatable {
    /// The number of documents that become invisible to some user.
    package var lostDocuments = 0

    /// The number of documents that become visible to some user.
    package var gainedDocuments = 0

    /// The number of users to whom some document becomes invisible, and the first names. The guest is `GUEST`.
    package var losing = Users()
    package var gaining = Users()

    /// Documents that leave the unified keyspace because their new collection is hidden. The counts above are those of the collections.
    package var hiddenDocuments = 0

    /// Documents whose grants change, and the affected users and roles. The counts above do not include the effects of these grants.
    package var regrantingDocuments = 0
    package var regranted = Users()

    /// Documents whose sync function would make new grants, and those grants. They are made only if new grants are allowed.
    package var newlyGrantingDocuments = 0
    package var newGrants: [NewGrant] = []

    /// The number of documents whose changes were not evaluated.
    package var untold = 0

    package struct Users: Codable, Sendable, Equatable {
        package var count = 0
        package var names: [String] = []

        mutating func add(_ name: String) {
            count += 1
            if names.count < 5 { names.append(name) }
        }
    }

    package var isEmpty: Bool {
        losing.count == 0 && gaining.count == 0 && hiddenDocuments == 0 && regrantingDocuments == 0 && untold == 0
            && newlyGrantingDocuments == 0
    }

    /// The new grants of moved documents to one user or role.
    package struct NewGrant: Codable, Sendable, Equatable {
        /// `user "bob"`, `role "staff"`.
        package var to: String

        /// Channels by collection.
        package var channels: [String: [String]] = [:]
        package var roles: [String] = []

        /// The maximum number of listed users and roles.
        static let limit = 1_000

        mutating func sort() {
            channels = channels.mapValues { $0.sorted() }
            roles.sort()
        }
    }
}

/// Computes for each user how moves change access.
extension Database {
    /// The maximum number of comparisons of a user's access with a change.
    private static var comparisons: Int { 20_000_000 }

    package func accessChangeReport(_ tally: AccessChangeTally) async throws -> AccessChangeReport {
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
                    // A user without rights sees no document, before and after the moves.
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

/// Which changes make documents invisible or visible to some user.
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

    /// A collection that does not exist yet has the grants of the default collection.
    private static func access(to key: CollectionKey, _ access: [CollectionKey: ChannelAccess]) -> ChannelAccess {
        access[key] ?? access[.default] ?? .publicOnly
    }
}
