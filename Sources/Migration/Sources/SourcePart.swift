/// One of several parts in which a source gives a document, because all of its leaves are too much for memory.
public struct SourcePart: Sendable, Equatable {
    /// What all parts are together.
    public struct Whole: Sendable, Equatable {
        public var isDeleted: Bool
        public var isConflicted: Bool

        public init(isDeleted: Bool, isConflicted: Bool) {
            self.isDeleted = isDeleted
            self.isConflicted = isConflicted
        }
    }

    /// Where it stands in the source: `byte 1804137`.
    public var place: String

    /// What the first part says of all; `nil` in the others, which are not counted as documents.
    public var whole: Whole?

    public init(place: String, whole: Whole? = nil) {
        self.place = place
        self.whole = whole
    }
}

extension SourceDocument {
    /// Whether an earlier part of it has come.
    var isContinued: Bool { part.map { $0.whole == nil } ?? false }
}

/// Where the first parts of documents are: the others belong there, whatever their own bodies say to the routes.
struct PartPlaces<Place> {
    private var places: [String: Place] = [:]

    /// - Returns: where the document is of which this is a later part; `place` for all else.
    @discardableResult
    mutating func settle(_ document: SourceDocument, _ place: Place) -> Place {
        guard let part = document.part else { return place }
        let key = "\(document.collection)\u{0}\(document.id)"
        if part.whole == nil { return places[key] ?? place }
        places[key] = place
        return place
    }
}
