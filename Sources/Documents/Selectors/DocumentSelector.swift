/// A condition on documents in CouchDB's form: `{"type": "order", "total": {"$gt": 100}}`. PouchDB and CouchDB choose with it what they pull.
///
/// As in CouchDB, a field that is not there fulfils no condition but `{"$exists": false}`, negated or not, and values of different types
/// are ordered: null, false, true, numbers, strings, arrays, objects. Strings are ordered by their bytes. There is no `$regex`: a pattern of a
/// stranger's can take for ever.
public struct DocumentSelector: Hashable, Sendable {
    /// What a field is compared with, and how.
    enum Test: Hashable, Sendable {
        case ordered(Order, JSONValue)
        case isIn([JSONValue])
        case hasType(String)
        case hasSize(Int)
        case leavesRemainder(Int, of: Int)
        case containsAll([JSONValue])
        indirect case anyElement(Condition)
        indirect case allElements(Condition)
    }

    enum Order: Hashable, Sendable {
        case equal, unequal, less, lessOrEqual, greater, greaterOrEqual
    }

    indirect enum Condition: Hashable, Sendable {
        case all([Condition])
        case any([Condition])
        /// Of the value at a path of fields, from the value that is looked at.
        case field([String], Condition)
        case exists(Bool)
        case test(Test, negated: Bool)
    }

    let condition: Condition

    /// Reads a selector.
    ///
    /// - Parameter json: an object, not nested deeper than ``maximumDepth``.
    /// - Throws: ``DocumentError`` with code `badSelector`, or `JSONError`.
    public init(_ json: [UInt8]) throws {
        condition = try Self.selector(try JSONValue(json, maximumDepth: Self.maximumDepth), negated: false)
    }

    /// How deep arrays and objects may be nested in a selector.
    public static let maximumDepth = 24

    init(_ condition: Condition) {
        self.condition = condition
    }

    /// All design documents.
    public static let designDocuments = DocumentSelector(
        .field(
            ["_id"],
            .all([
                .test(.ordered(.greaterOrEqual, .string("_design/")), negated: false),
                .test(.ordered(.less, .string("_design0")), negated: false),
            ])))

    /// Whether a document fulfils it.
    ///
    /// - Parameter document: its JSON, `_id` and the other metadata included.
    /// - Throws: `JSONError` if that is no JSON.
    public func matches(_ document: [UInt8]) throws -> Bool {
        Self.matches(condition, try JSONValue(document: document))
    }
}
