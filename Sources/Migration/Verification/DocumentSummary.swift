import Documents
import Gateway

/// The compared properties of a document: its leaves, their tombstone flags, attachments and, on request, bodies.
struct DocumentSummary: Sendable, Equatable {
    struct Leaf: Sendable, Equatable {
        let revision: RevisionID
        let isDeleted: Bool

        /// Sorted by name. The digest is empty if the side does not provide it.
        let attachments: [Attachment]

        /// Digest of the body in canonical form; empty if bodies are not compared.
        var body = ""
    }

    struct Attachment: Sendable, Equatable {
        let name: String
        let digest: String
    }

    let collection: CollectionName
    let id: String

    /// Leaves, the winner first.
    private(set) var leaves: [Leaf]

    /// Ancestors of the leaves; filled for partial documents and on request.
    private(set) var ancestors: Set<RevisionID> = []

    /// Whether the summary is of a part of the document.
    private(set) var isPart = false

    /// Whether only the IDs of the leaves and the document's tombstone flag are known.
    private(set) var isOutline = false

    init(_ outline: RevisionListing) {
        collection = .default
        id = outline.id
        leaves = outline.leaves.sorted { $1 < $0 }.map { Leaf(revision: $0, isDeleted: outline.isDeleted, attachments: []) }
        isOutline = true
    }

    /// - Parameters:
    ///   - includesBodies: Whether to include digests of bodies.
    ///   - includesAncestors: Whether to include ancestors.
    init(_ document: SourceDocument, includesBodies: Bool = false, includesAncestors: Bool = false) {
        collection = document.collection
        id = document.id
        leaves = document.revisions.filter(\.isLeaf).compactMap { revision in
            revision.history.first.map { id in
                Leaf(
                    revision: id, isDeleted: revision.isDeleted,
                    attachments: (revision.attachments?.entries ?? []).map {
                        Attachment(name: $0.name, digest: $0.digest?.description ?? "")
                    }.sorted { $0.name < $1.name }, body: includesBodies ? BodyDigest.text(of: revision.body) : "")
            }
        }.sorted(by: Self.wins)
        isPart = document.part != nil
        if isPart || includesAncestors { ancestors = Set(document.revisions.flatMap { $0.history.dropFirst() }) }
    }

    private static func wins(_ a: Leaf, _ b: Leaf) -> Bool {
        a.isDeleted != b.isDeleted ? !a.isDeleted : b.revision < a.revision
    }

    /// Merges another part of the document. A leaf of one part may be an ancestor in another.
    mutating func merge(_ other: DocumentSummary) {
        let known = Set(leaves.map(\.revision))
        ancestors.formUnion(other.ancestors)
        leaves = (leaves + other.leaves.filter { !known.contains($0.revision) }).filter { !ancestors.contains($0.revision) }
            .sorted(by: Self.wins)
    }

    var winner: Leaf? { leaves.first }
    var isDeleted: Bool { winner?.isDeleted ?? true }

    private static let outlineMark = "~"
    private static let partMark = "^"

    /// Serialised form: one line per leaf with the revision, the tombstone flag, the body's digest and the attachments. An outline, and a part
    /// with its ancestors, have one more line at the beginning.
    var text: String {
        (isOutline ? Self.outlineMark + "\u{2}" : "")
            + (isPart ? ([Self.partMark] + ancestors.map(\.text)).joined(separator: "\u{1}") + "\u{2}" : "")
            + leaves.map { leaf in
                ([leaf.revision.text, leaf.isDeleted ? "!" : "", leaf.body] + leaf.attachments.flatMap { [$0.name, $0.digest] }).joined(
                    separator: "\u{1}")
            }.joined(separator: "\u{2}")
    }

    init(collection: CollectionName, id: String, text: String) {
        self.collection = collection
        self.id = id
        let lines = text.split(separator: "\u{2}")
        isOutline = lines.first.map { $0 == Self.outlineMark } ?? false
        if let fields = lines.first?.split(separator: "\u{1}"), fields.first.map({ $0 == Self.partMark }) ?? false {
            isPart = true
            ancestors = Set(fields.dropFirst().compactMap { RevisionID(String($0)) })
        }
        leaves = lines.compactMap { line in
            let fields = line.split(separator: "\u{1}", omittingEmptySubsequences: false).map(String.init)
            guard fields.count >= 3, let revision = RevisionID(fields[0]) else { return nil }
            let attachments = stride(from: 3, to: fields.count - 1, by: 2).map { Attachment(name: fields[$0], digest: fields[$0 + 1]) }
            return Leaf(revision: revision, isDeleted: fields[1] == "!", attachments: attachments, body: fields[2])
        }
    }

    /// The differences to the other side; empty if both are equal. Messages call this side A and the other one B.
    func differences(from other: DocumentSummary) -> [ReportDifference] {
        func difference(_ kind: ReportDifference.Kind, _ detail: String) -> ReportDifference {
            ReportDifference(kind, collection: collection.description, id: id, detail: detail)
        }
        guard let mine = winner, let theirs = other.winner else { return [] }
        if mine.isDeleted != theirs.isDeleted {
            return [difference(.tombstone, "\(Self.text(mine)) in A, \(Self.text(theirs)) in B")]
        }
        if mine.revision != theirs.revision { return [difference(.winner, "\(mine.revision) in A, \(theirs.revision) in B")] }
        let (here, there) = (Set(leaves.map(Self.text)), Set(other.leaves.map(Self.text)))
        if here != there {
            let list = { (set: Set<String>) in set.isEmpty ? "none" : set.sorted().joined(separator: ", ") }
            return [difference(.leaves, "only in A: \(list(here.subtracting(there))); only in B: \(list(there.subtracting(here)))")]
        }
        for (leaf, counterpart) in zip(leaves, other.leaves) {
            if !leaf.body.isEmpty, !counterpart.body.isEmpty, leaf.body != counterpart.body {
                return [difference(.body, "\(leaf.revision) has another body in A than in B")]
            }
            if let detail = Self.difference(leaf.attachments, counterpart.attachments) {
                return [difference(.attachments, "\(leaf.revision): \(detail)")]
            }
        }
        return []
    }

    /// Whether the other side has every leaf of this one, as a leaf or as an ancestor. Requires the other side's ancestors.
    func isCovered(by other: DocumentSummary) -> Bool {
        let known = other.ancestors.union(other.leaves.map(\.revision))
        return leaves.allSatisfy { known.contains($0.revision) }
    }

    /// Whether this outline matches a document, so that its body need not be read.
    func isOutline(of other: DocumentSummary) -> Bool {
        isDeleted == other.isDeleted && Set(leaves.map(\.revision)) == Set(other.leaves.map(\.revision))
    }

    /// Whether the leaves of this side, which stores a single branch, are leaves of the other side. Unless both are deleted, the other side's
    /// winner must also be a leaf here.
    func isSingleBranch(of other: DocumentSummary) -> Bool {
        guard isDeleted == other.isDeleted, Set(leaves.map(\.revision)).isSubset(of: other.leaves.map(\.revision)) else { return false }
        return isDeleted || leaves.contains { $0.revision == other.winner?.revision }
    }

    private static func text(_ leaf: Leaf) -> String { (leaf.isDeleted ? "deleted " : "") + leaf.revision.text }

    private static func difference(_ here: [Attachment], _ there: [Attachment]) -> String? {
        guard here.map(\.name) == there.map(\.name) else {
            return "\(here.map(\.name).joined(separator: ", ")) in A, \(there.map(\.name).joined(separator: ", ")) in B"
        }
        for (mine, theirs) in zip(here, there) where mine.digest != theirs.digest {
            // One side may lack the digest, or use another hash algorithm.
            guard mine.digest.prefix(4) == theirs.digest.prefix(4), !mine.digest.isEmpty else { continue }
            return "\(mine.name) has \(mine.digest) in A, \(theirs.digest) in B"
        }
        return nil
    }
}

/// Digest of a body in canonical form, because servers change the order of keys and the spelling of numbers and strings.
package enum BodyDigest {
    package static func text(of body: [UInt8]) -> String {
        guard let value = try? JSONValue(body) else { return digest(body) }
        var bytes: [UInt8] = []
        normal(value).append(to: &bytes)
        return digest((try? CanonicalJSON.encode(bytes, style: .syncGateway)) ?? bytes)
    }

    private static func digest(_ bytes: [UInt8]) -> String { AttachmentDigest.sha1(of: bytes).description }

    /// The value with canonical numbers: JavaScript and Erlang write `1.50` as `1.5`, and `1e2` as `100`.
    ///
    /// Integers keep all of their digits, because two integers that differ after the 15th digit may be equal as floating-point numbers.
    private static func normal(_ value: JSONValue) -> JSONValue {
        switch value {
        case .number(let text): .number(spelling(text))
        case .array(let items): .array(items.map { normal($0) })
        case .object(let members): .object(members.map { JSONMember($0.key, normal($0.value)) })
        default: value
        }
    }

    private static func spelling(_ text: String) -> String {
        let isWhole = text.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") }
        guard !isWhole || text == "-0", let number = Double(text) else { return text }
        return Int64(exactly: number).map(String.init) ?? "\(number)"
    }
}
