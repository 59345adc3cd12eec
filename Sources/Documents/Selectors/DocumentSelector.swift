/// A condition on documents in CouchDB's format: `{"type": "order", "total": {"$gt": 100}}`. PouchDB and CouchDB use selectors to filter a
/// pull.
///
/// As in CouchDB:
/// - A field that does not exist matches no condition except `{"$exists": false}`, negated or not.
/// - Values of different types are ordered: null, false, true, numbers, strings, arrays, objects.
/// - Strings are ordered by their bytes.
///
/// `$regex` is not supported: a pattern from outside can take unlimited time.
package struct DocumentSelector: Hashable, Sendable {
    /// A comparison of a field's value.
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
        /// A condition on the value at a path of fields, relative to the tested value.
        case field([String], Condition)
        case exists(Bool)
        case test(Test, negated: Bool)
    }

    let condition: Condition

    /// Reads a selector.
    ///
    /// - Parameter json: An object, nested no deeper than ``maximumDepth``.
    /// - Throws: ``DocumentError`` with code `badSelector`, or `JSONError`.
    package init(_ json: [UInt8]) throws {
        condition = try Self.selector(try JSONValue(json, maximumDepth: Self.maximumDepth), negated: false)
    }

    /// The maximum nesting depth of arrays and objects in a selector.
    package static let maximumDepth = 24

    init(_ condition: Condition) {
        self.condition = condition
    }

    /// Matches all design documents.
    package static let designDocuments = DocumentSelector(
        .field(
            ["_id"],
            .all([
                .test(.ordered(.greaterOrEqual, .string("_design/")), negated: false),
                .test(.ordered(.less, .string("_design0")), negated: false),
            ])))

    /// Whether a document matches the selector.
    ///
    /// - Parameter document: The document's JSON, including `_id` and the other metadata.
    /// - Throws: `JSONError` if the text is not JSON.
    package func matches(_ document: [UInt8]) throws -> Bool {
        Self.matches(condition, try JSONValue(document: document))
    }
}
