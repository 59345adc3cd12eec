import Documents
import ModernReplication

/// A database of 4.x: revisions have version vectors, and no IDs in a tree.
final class VersionDatabase: LocalDatabase {
    let subprotocol = Subprotocol.v4
    let uuid: String?
    private let source: SourceID
    private var documents: [Place: VersionCopy] = [:]

    /// The contents of its own versions: each of a source takes in those before it, also where the document was purged in between.
    private var own: [Place: Set<Content>] = [:]
    private var lastSequence = 0
    private var clock: UInt64 = 0

    /// - Parameter name: makes its UUID.
    init(_ name: String) throws {
        let bytes = Array(AttachmentDigest.sha1(of: Array(name.utf8)).bytes.prefix(SourceID.size))
        guard let source = SourceID(bytes) else { throw Surprise("\(name) has no source ID") }
        self.source = source
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        uuid = text
    }

    var holdings: [Place: Holding] { documents.mapValues(\.holding) }

    func isDirty(_ place: Place) -> Bool { documents[place]?.isDirty ?? false }
    func sequence(of place: Place) -> Int { documents[place]?.sequence ?? 0 }
    func purge(_ place: Place) { documents[place] = nil }
    func body(of revision: String, at place: Place) -> [UInt8]? { nil }

    private func nextSequence() -> Int {
        lastSequence += 1
        return lastSequence
    }

    /// Whether a version is its own.
    func hasMade(_ version: String) -> Bool { Version(version)?.source == source }

    /// A version of its own, newer than all before.
    private func nextVersion() -> Version {
        clock += 1
        return Version(time: clock << 16, source: source)
    }

    func edit(_ edit: Edit, _ subject: Subject, at place: Place, ledger: Ledger) throws -> String? {
        let old = documents[place]
        guard let content = edit.content(subject, over: old?.content) else { return nil }
        let version = nextVersion()
        own[place, default: []].insert(content)
        documents[place] = VersionCopy(
            vector: old?.vector.child(version) ?? VersionVector(current: version), content: content, remote: old?.remote,
            sequence: nextSequence(), seen: (old?.seen ?? []).union(own[place] ?? []))
        ledger.note(content, of: version.description, at: place)
        return version.description
    }

    // MARK: Pushing

    func offer(_ place: Place) -> Offer? {
        documents[place].map { document in
            Offer(
                revision: document.vector.current.description, parent: document.remote?.description ?? "",
                history: document.vector.history(), content: document.content, sequence: document.sequence, generation: nil, base: nil)
        }
    }

    func follows(_ current: String, at place: Place) -> Bool {
        guard let current = Version(current), let document = documents[place], document.vector.contains(current) else { return false }
        documents[place]?.remote = current
        return true
    }

    func noteAcknowledged(_ offer: Offer, at place: Place) {
        guard let version = Version(offer.revision), documents[place]?.vector.current == version else { return }
        documents[place]?.remote = version
    }

    /// The contents that the maker of what is offered had seen.
    func seen(_ place: Place) -> Set<Content> { documents[place]?.seen ?? [] }

    // MARK: Pulling

    func ancestors(of revision: String, at place: Place) throws -> [String]? {
        guard let version = Version(revision) else { throw Surprise("\(place) was announced to a 4.x client as \(revision)") }
        guard let document = documents[place] else { return [] }
        guard !document.vector.contains(version) else {
            if version == document.vector.current || document.remote.map({ !document.vector.contains($0) }) ?? true {
                documents[place]?.remote = version
            }
            return nil
        }
        let names = [document.vector.current] + (document.remote.map { $0 == document.vector.current ? [] : [$0] } ?? [])
        return names.map(\.description)
    }

    func take(_ arrival: Arrival, at place: Place, ledger: Ledger) throws {
        let history = try VersionHistory(rev: arrival.revision, history: arrival.history)
        guard history.legacy.isEmpty else { throw Surprise("\(place): a history with IDs of a tree, \(arrival.history ?? "")") }
        let theirs = VersionCopy(
            vector: history.vector, content: arrival.content, remote: history.vector.current, sequence: nextSequence(),
            seen: (documents[place]?.seen ?? []).union([arrival.content]))
        ledger.note(arrival.content, of: arrival.revision, at: place)
        guard let ours = documents[place] else { return documents[place] = theirs }
        switch ours.vector.order(to: theirs.vector) {
        case .same, .newer: documents[place]?.remote = theirs.vector.current
        case .older: documents[place] = theirs
        case .conflicting:
            if !ours.isDirty { ledger.noteFalseConflict("\(ours.vector) here, \(theirs.vector) there", at: place) }
            documents[place] = resolved(ours, theirs, ledger, at: place)
        }
    }

    /// Applications resolve in each of the ways that there are; which one, the contents say.
    private func resolved(_ ours: VersionCopy, _ theirs: VersionCopy, _ ledger: Ledger, at place: Place) -> VersionCopy {
        guard !ours.content.isDeleted || !theirs.content.isDeleted else { return theirs }
        var result = ours
        result.remote = theirs.remote
        result.sequence = theirs.sequence
        result.seen.formUnion(theirs.seen)
        switch ((ours.content.number ?? 0) + (theirs.content.number ?? 0)) % 3 {
        case 0:
            ledger.happen(.keptOwnVersion)
            // The version stays, and takes in the other one.
            result.vector = ours.vector.covering(theirs.vector)
        case 1:
            ledger.happen(.tookOtherVersion)
            return theirs
        default:
            ledger.happen(.mergedVersions)
            let version = nextVersion()
            let merged = [ours.vector.current, theirs.vector.current]
            let previous = ours.vector.covering(theirs.vector).child(version).previous.filter { version in
                !merged.contains { $0.source == version.source }
            }
            let isPlain = Set(merged.map(\.source)).count < 2
            result.vector =
                isPlain
                ? ours.vector.covering(theirs.vector).child(version)
                : VersionVector(current: version, merged: merged, previous: previous)
            ledger.note(result.content, of: version.description, at: place)
        }
        return result
    }
}
