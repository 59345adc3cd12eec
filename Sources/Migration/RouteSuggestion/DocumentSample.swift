import Documents
import Gateway

/// Documents of a source from which routes are suggested: all documents, or a uniform random sample if there are too many.
///
/// The same source and seed give the same sample.
package struct DocumentSample: Sendable {
    /// Default size of the sample in documents: about 50 MB.
    package static let defaultSize = 100_000

    /// Further property names are ignored: documents whose keys are IDs have an unbounded number of them.
    private static let maximumNames = 2000
    private static let maximumProperties = 100

    /// Number of documents that the sample was drawn from.
    package private(set) var seen = 0

    /// Number of documents that are already in a named collection. Routes do not apply to them.
    package private(set) var placed = 0

    /// Number of items that could not be read.
    package private(set) var faults = 0

    private(set) var documents: [SampledDocument] = []

    /// Property names by index.
    private(set) var names: [String] = []

    private var numbers: [ExactString: Int] = [:]
    private let size: Int
    private var random: SplitMix64

    package init(size: Int = defaultSize, seed: UInt64 = 1) {
        self.size = max(1, size)
        random = SplitMix64(seed: seed)
    }

    /// Whether the sample omits documents.
    package var isPart: Bool { seen > documents.count }

    package mutating func add(_ item: SourceItem) {
        guard case .document(let document) = item else {
            faults += 1
            return
        }
        guard document.collection == .default else {
            placed += 1
            return
        }
        guard !DocumentID.isDesign(document.id) else { return }
        seen += 1
        // Algorithm R: the n-th document is sampled with probability size / n.
        if documents.count < size {
            documents.append(sampled(document))
        } else {
            let place = Int(random.next(upperBound: UInt64(seen)))
            if place < size { documents[place] = sampled(document) }
        }
    }

    private mutating func sampled(_ document: SourceDocument) -> SampledDocument {
        var result = SampledDocument(id: document.id)
        let leaves = document.revisions.filter(\.isLeaf)
        guard let winner = leaves.filter({ !$0.isDeleted }).max(by: Self.precedes) else {
            result.isDeleted = true
            return result
        }
        try? JSONReader.read(winner.body) { reader in
            try reader.object(uniqueKeys: false) { key, value in
                guard result.properties.count < Self.maximumProperties, let name = try? key.string(), let number = register(name) else {
                    return
                }
                result.properties.append(number)
                guard value.kind == .string else { return }
                let raw = try value.raw()
                // Two more for the quotes.
                guard raw.count <= SampledDocument.maximumValueLength + 2 else { return }
                result.texts[number] = try JSONValue(raw).string
            }
        }
        return result
    }

    private static func precedes(_ a: SourceRevision, _ b: SourceRevision) -> Bool {
        guard let a = a.history.first, let b = b.history.first else { return a.history.isEmpty }
        return a < b
    }

    /// The index of a property that a sampled document has.
    func number(of name: String) -> Int? { numbers[ExactString(name)] }

    private mutating func register(_ name: String) -> Int? {
        if let number = number(of: name) { return number }
        guard names.count < Self.maximumNames, name.utf8.count <= 100 else { return nil }
        names.append(name)
        numbers[ExactString(name)] = names.count - 1
        return names.count - 1
    }
}

/// The parts of a document that route suggestion uses.
struct SampledDocument: Sendable, Equatable {
    /// The longest text that could name a type, in bytes.
    static let maximumValueLength = 40

    var id: String
    var isDeleted = false

    /// Its top-level properties, by index in the sample.
    var properties: [Int] = []

    /// The values of properties that are short strings.
    var texts: [Int: String] = [:]
}
