import Documents
import Storage

/// What a `MemoryStore` holds.
final class MemoryState: StoreTransaction {
    private struct LocalKey: Hashable {
        let kind: LocalDocumentKind
        let scope: FeedScope
        let id: String
    }

    private struct Place: Hashable {
        let collection: CollectionKey
        let id: String
    }

    private var counter = Sequence.origin
    private var settings: [String: String] = [:]
    private var collectionRecords: [CollectionRecord] = []
    private var documents: [Int64: DocumentRecord] = [:]
    private var bodies: [Int64: [RevisionID: StoredBody]] = [:]
    private var unified: [String: Int64] = [:]
    private var placed: [Place: Int64] = [:]
    private var log: [(sequence: Sequence, key: Int64)] = []
    private var departed: [Place: DepartureRecord] = [:]
    private var locals: [LocalKey: LocalDocument] = [:]
    private var attachments: [AttachmentDigest: AttachmentRecord] = [:]
    private var contents: [Int64: [UInt8]] = [:]
    private var uses: [DocumentKey: Set<Int64>] = [:]
    private var nextKey: Int64 = 100
    private var touched: Set<CollectionKey> = []

    let uuid: [UInt8] = Array(0..<16)
    var lastSequence: Sequence { counter }

    func takeCommit() -> Commit? {
        guard !touched.isEmpty else { return nil }
        defer { touched = [] }
        return Commit(sequence: counter, touchesUnified: true, collections: touched)
    }

    private func newKey() -> Int64 {
        nextKey += 1
        return nextKey
    }

    func nextSequence() -> Sequence {
        counter = Sequence(counter.value + 1)
        return counter
    }

    func raiseCounter(to sequence: Sequence) { counter = max(counter, sequence) }
    func setting(_ name: String) -> String? { settings[name] }
    func set(_ value: String?, forSetting name: String) { settings[name] = value }
    func counts(_ scope: FeedScope) -> DocumentCounts { DocumentCounts(live: 0, tombstones: 0, conflicted: 0, misplaced: 0) }
    func collections() -> [CollectionRecord] { collectionRecords }

    func putCollection(scope: String, name: String, isHidden: Bool) -> CollectionRecord {
        if let found = collectionRecords.first(where: { $0.scope == scope && $0.name == name }) { return found }
        let key = scope == "_default" && name == "_default" ? CollectionKey.default : CollectionKey(newKey())
        let record = CollectionRecord(key: key, scope: scope, name: name, isHidden: isHidden)
        collectionRecords.append(record)
        return record
    }

    // MARK: Documents

    func document(unifiedID: String) -> DocumentRecord? { unified[unifiedID].flatMap { documents[$0] } }
    func document(in collection: CollectionKey, id: String) -> DocumentRecord? {
        placed[Place(collection: collection, id: id)].flatMap { documents[$0] }
    }
    func document(_ key: DocumentKey) -> DocumentRecord? { documents[key.value] }
    func body(of revision: RevisionID, in document: DocumentRecord) -> StoredBody? { document.key.flatMap { bodies[$0.value]?[revision] } }

    func insert(_ document: DocumentRecord, winnerBody: StoredBody?) -> DocumentKey {
        var document = document
        let key = newKey()
        document.key = DocumentKey(key)
        bodies[key] = winnerBody.map { [document.winner: $0] } ?? [:]
        update(document)
        return DocumentKey(key)
    }

    func update(_ document: DocumentRecord) {
        guard let key = document.key?.value else { return }
        if let old = documents[key] { placed[Place(collection: old.collection, id: old.id)] = nil }
        documents[key] = document
        if let id = document.unifiedID { unified[id] = key }
        placed[Place(collection: document.collection, id: document.id)] = key
        log.append((document.collectionSequence, key))
        touched.insert(document.collection)
    }

    func setBody(_ body: StoredBody, of revision: RevisionID, in document: DocumentRecord, isLeaf: Bool) {
        guard let key = document.key?.value else { return }
        bodies[key, default: [:]][revision] = body
    }

    func changeWinner(of document: DocumentRecord, body: StoredBody?, previous: RevisionID, previousIsLeaf: Bool) {
        if let body { setBody(body, of: document.winner, in: document, isLeaf: true) }
    }

    func removeBody(of revision: RevisionID, in document: DocumentRecord) {
        guard let key = document.key?.value else { return }
        bodies[key]?[revision] = nil
    }

    func trimBodies(of document: DocumentKey, keeping count: Int) {
        guard let tree = documents[document.value]?.tree, let kept = bodies[document.value]?.keys else { return }
        let inner = kept.filter { tree.node($0).map { !$0.isLeaf } ?? false }.sorted()
        for id in inner.dropLast(count) { bodies[document.value]?[id] = nil }
    }

    func purge(_ document: DocumentKey) {
        guard let record = documents.removeValue(forKey: document.value) else { return }
        bodies[document.value] = nil
        placed[Place(collection: record.collection, id: record.id)] = nil
        if let id = record.unifiedID { unified[id] = nil }
    }

    // MARK: Feeds

    func feed(_ scope: FeedScope, after: Sequence, limit: Int, descending: Bool, _ visit: (FeedRow) throws -> Bool) throws {
        var start = log.partitioningIndex { $0.sequence > after }
        var count = 0
        while start < log.count, count < limit {
            let (sequence, key) = log[start]
            start += 1
            guard let document = documents[key], document.collectionSequence == sequence, scope.holds(document) else { continue }
            count += 1
            let size = bodies[key]?[document.winner]?.properties.count ?? 0
            let row = FeedRow(
                key: DocumentKey(key), sequence: sequence, id: scope == .unified ? document.unifiedID ?? "" : document.id,
                revision: document.winner.text, flags: document.flags, collection: document.collection, bodySize: size)
            guard try visit(row) else { return }
        }
    }

    func list(_ scope: FeedScope, range: ListRange, limit: Int, _ visit: (FeedRow) throws -> Bool) {}
    func documents(in collection: CollectionKey?, after: DocumentKey, limit: Int, _ visit: (DocumentRecord) throws -> Bool) {}

    func departure(from collection: CollectionKey, id: String) -> DepartureRecord? { departed[Place(collection: collection, id: id)] }
    func departures(from collection: CollectionKey, after: Sequence, limit: Int, _ visit: (DepartureRecord) throws -> Void) rethrows {
        for record in departed.values.sorted(by: { $0.sequence < $1.sequence }).prefix(limit)
        where record.collection == collection && record.sequence > after { try visit(record) }
    }
    func setDeparture(_ departure: DepartureRecord) { departed[Place(collection: departure.collection, id: departure.id)] = departure }
    func removeDeparture(from collection: CollectionKey, id: String) { departed[Place(collection: collection, id: id)] = nil }

    // MARK: Local documents

    func localDocument(_ kind: LocalDocumentKind, in scope: FeedScope, id: String) -> LocalDocument? {
        locals[LocalKey(kind: kind, scope: scope, id: id)]
    }
    func setLocalDocument(_ document: LocalDocument?, _ kind: LocalDocumentKind, in scope: FeedScope, id: String) {
        locals[LocalKey(kind: kind, scope: scope, id: id)] = document
    }

    // MARK: Attachments

    func attachment(_ digest: AttachmentDigest) -> AttachmentRecord? { attachments[digest] }
    func attachmentBytes(_ attachment: AttachmentRecord, offset: Int64, count: Int) -> [UInt8] {
        Array(contents[attachment.key]?.dropFirst(Int(offset)).prefix(count) ?? [])
    }
    func uses(_ document: DocumentKey, _ attachment: AttachmentRecord) -> Bool { uses[document]?.contains(attachment.key) ?? false }
    func insertAttachment(_ bytes: [UInt8], digest: AttachmentDigest) -> AttachmentRecord {
        if let found = attachments[digest] { return found }
        let record = AttachmentRecord(key: newKey(), digest: digest, length: Int64(bytes.count))
        attachments[digest] = record
        contents[record.key] = bytes
        return record
    }
    func beginAttachment() -> Int64 {
        let key = newKey()
        contents[key] = []
        return key
    }
    func appendAttachment(_ key: Int64, part: Int, _ bytes: [UInt8]) { contents[key]?.append(contentsOf: bytes) }
    func finishAttachment(_ key: Int64, digest: AttachmentDigest, length: Int64) -> AttachmentRecord {
        if let found = attachments[digest] { return found }
        let record = AttachmentRecord(key: key, digest: digest, length: length)
        attachments[digest] = record
        return record
    }
    func abandonAttachment(_ key: Int64) { contents[key] = nil }
    func addAlias(_ digest: AttachmentDigest, for attachment: AttachmentRecord) { attachments[digest] = attachment }
    func setAttachments(_ attachments: Set<Int64>, usedBy document: DocumentKey) { uses[document] = attachments }
    func collectAttachments(olderThan age: Int64, limit: Int) -> Int { 0 }
    func keptAttachments(of document: DocumentRecord) -> [[UInt8]] {
        document.key.flatMap { bodies[$0.value]?.values.compactMap(\.attachments) } ?? []
    }

    // MARK: What sessions do not use

    func vector(of revision: RevisionID, in document: DocumentKey) -> String? { nil }
    func legacyRevision(of document: DocumentKey, client: String) -> RevisionID? { nil }
    func setVector(_ vector: String, of revision: RevisionID, in document: DocumentKey) {}
    func setLegacyRevision(_ revision: RevisionID?, of document: DocumentKey, client: String) {}
    func moveRuns() -> [MoveRun] { [] }
    func moves(in run: Int64, after: DocumentKey, limit: Int) -> [MoveRecord] { [] }
    func beginMoveRun(routes: String) -> MoveRun {
        MoveRun(key: 1, started: 0, finished: nil, state: .running, routes: routes, cursor: DocumentKey(0))
    }
    func updateMoveRun(_ run: MoveRun) {}
    func recordMove(_ move: MoveRecord, in run: Int64) {}
    func forgetMove(of document: DocumentKey, in run: Int64) {}
}

extension FeedScope {
    fileprivate func holds(_ document: DocumentRecord) -> Bool {
        switch self {
        case .unified: document.unifiedID != nil
        case .collection(let key): document.collection == key
        }
    }
}

extension Array {
    fileprivate func partitioningIndex(_ isBehind: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
