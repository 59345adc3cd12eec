/// The earlier steps of a history, for the rules of a comparison.
struct Past {
    private struct Place: Hashable {
        let id: String
        let keyspace: String
    }

    private struct Written {
        let name: String
        let step: Int
        let edit: Edit

        /// Whether the revision may have become a branch.
        let mayBranch: Bool
    }

    private var written: [Place: [Written]] = [:]

    /// The existing roles, and the users and roles to which a document has made a grant.
    private var roles: Set<String> = []
    private var favoured: Set<String> = []

    /// The channels that each user or role has been granted.
    private var granted: [String: Set<String>] = [:]

    /// The roles that were created after a document had granted them something, and the roles of each user with the first step that granted them.
    private var late: Set<String> = []
    private var given: [String: [String: Int]] = [:]

    /// Records a step with its statuses.
    mutating func record(_ step: History.Numbered, statuses: [Int]) {
        switch step.step {
        case .account(let account) where statuses.first.map { $0 < 300 } ?? false: record(account, step: step.number)
        case .drop(let name): roles.remove(name)
        case .write(let write):
            for (edit, status) in zip(write.edits, statuses) where status < 300 { record(edit, write, step: step.number) }
        default: break
        }
    }

    private mutating func record(_ account: Account, step: Int) {
        granted[account.name, default: []].formUnion(account.channels ?? [])
        if account.name.hasPrefix(Account.rolePrefix) {
            if roles.insert(account.name).inserted, favoured.contains(account.name) { late.insert(account.name) }
        } else if let roles = account.roles {
            give(roles.map { Account.rolePrefix + $0 }, to: account.name, step: step)
        }
    }

    private mutating func record(_ edit: Edit, _ write: Write, step: Int) {
        written[Place(id: edit.id, keyspace: write.keyspace), default: []]
            .append(Written(name: RevisionNames.name(step: step), step: step, edit: edit, mayBranch: write.isReplicated))
        if let gift = edit.access {
            favoured.insert(gift.to)
            granted[gift.to, default: []].formUnion(gift.what)
        }
        if let gift = edit.role { give(gift.what, to: gift.to, step: step) }
    }

    private mutating func give(_ roles: [String], to user: String, step: Int) {
        given[user, default: [:]].merge(roles.map { ($0, step) }, uniquingKeysWith: min)
    }

    /// The channels that a user has had by roles, or only by roles that were created after a document had granted them something.
    func channels(ofRolesOf user: String, areLate: Bool) -> Set<String> {
        var roles = Set((given[user] ?? [:]).keys)
        if areLate { roles.formIntersection(late) }
        return channels(of: roles)
    }

    /// The channels of the roles that a user got after a revision was written.
    func channels(ofRolesOf user: String, givenAfter name: String, of id: String, in keyspace: String) -> Set<String> {
        guard let step = revisions(of: id, in: keyspace).first(where: { $0.name == name })?.step else { return [] }
        return channels(of: Set((given[user] ?? [:]).filter { $0.value > step }.keys))
    }

    /// The channels that a user has ever had, directly or by a role.
    func held(by user: String) -> Set<String> {
        (granted[user] ?? []).union(channels(ofRolesOf: user, areLate: false))
    }

    /// Those of the channels that a user has ever had, directly or by a role; all of them for a user who had none.
    func reach(of user: String, among channels: [String]) -> Set<String> {
        let held = held(by: user)
        let asked = Set(channels)
        let had = held.union(["!"]).intersection(asked)
        return held.contains("*") || had.isEmpty ? asked : had
    }

    private func channels(of roles: Set<String>) -> Set<String> {
        roles.reduce(into: []) { $0.formUnion(granted[$1] ?? []) }
    }

    /// Whether a revision was written together with a revision of another document that had made a grant to a user.
    func cameWithGiver(to user: String, _ name: String, of id: String, in keyspace: String) -> Bool {
        guard let step = revisions(of: id, in: keyspace).first(where: { $0.name == name })?.step else { return false }
        return written.contains { place, revisions in
            place.keyspace == keyspace && place.id != id && revisions.contains { $0.step == step } && hasGiven(to: user, place.id, keyspace)
        }
    }

    /// Whether a document has made a grant to a user.
    func hasGiven(to user: String, _ id: String, _ keyspace: String) -> Bool {
        revisions(of: id, in: keyspace).contains { $0.edit.access?.to == user || $0.edit.role?.to == user }
    }

    private func revisions(of id: String, in keyspace: String) -> [Written] {
        written[Place(id: id, keyspace: keyspace)] ?? []
    }

    /// Whether a document was ever written to one of these channels.
    func hasBeen(in channels: Set<String>, _ id: String, _ keyspace: String) -> Bool {
        revisions(of: id, in: keyspace).contains { !channels.isDisjoint(with: $0.edit.channels ?? []) }
    }

    /// The channels in the body of a revision.
    func channels(of name: String, of id: String, in keyspace: String) -> [String]? {
        revisions(of: id, in: keyspace).first { $0.name == name }.map { $0.edit.channels ?? [] }
    }

    func isDeletion(_ name: String, of id: String, in keyspace: String) -> Bool {
        revisions(of: id, in: keyspace).contains { $0.name == name && $0.edit.isDeleted }
    }

    /// Whether the revision is the deletion of a replaced revision.
    func endsOldRevision(_ name: String, of id: String, in keyspace: String) -> Bool {
        let revisions = self.revisions(of: id, in: keyspace)
        guard let index = revisions.firstIndex(where: { $0.name == name }), revisions[index].edit.isDeleted,
            let parent = revisions[index].edit.parent, let start = revisions[..<index].firstIndex(where: { $0.name == parent })
        else { return false }
        return revisions[start..<index].dropFirst().contains { !$0.mayBranch || $0.edit.parent == parent }
    }

    /// Whether all of some revisions of a document were written before others.
    func areWritten(_ names: Set<String>, before others: Set<String>, of id: String, in keyspace: String) -> Bool {
        let revisions = self.revisions(of: id, in: keyspace)
        guard let last = revisions.lastIndex(where: { names.contains($0.name) }),
            let first = revisions.firstIndex(where: { others.contains($0.name) })
        else { return false }
        return last < first
    }

    /// Whether a deletion of a document has this revision as its parent.
    func isDeleted(after name: String, of id: String, in keyspace: String) -> Bool {
        revisions(of: id, in: keyspace).contains { $0.edit.isDeleted && $0.edit.parent == name }
    }

    /// Whether a revision was written with this parent.
    func isFollowed(_ name: String, of id: String, in keyspace: String) -> Bool {
        revisions(of: id, in: keyspace).contains { $0.edit.parent == name }
    }

    /// Whether a document may have branches.
    func hasBranches(_ id: String, in keyspace: String) -> Bool {
        revisions(of: id, in: keyspace).contains(where: \.mayBranch)
    }

    /// Whether the revision was replaced by a child, or one of these revisions was written after it.
    func isReplaced(_ name: String, by others: Set<String> = [], of id: String, in keyspace: String) -> Bool {
        let revisions = self.revisions(of: id, in: keyspace)
        guard let index = revisions.firstIndex(where: { $0.name == name }) else { return false }
        return revisions[(index + 1)...].contains { !$0.mayBranch || $0.edit.parent == name || others.contains($0.name) }
    }
}
