/// When a route applies to a document that is created in the unified keyspace.
public enum RouteCondition: Hashable, Sendable {
    /// A top-level property has this value.
    case property(name: String, equals: ScalarValue)
    /// The document's ID begins with this text.
    case idPrefix(String)
    /// A regular expression is found in the document's ID.
    case idPattern(String)
    /// The document is in this channel.
    case channel(String)
    /// A JavaScript function of the document returns something true.
    case javaScript(String)
}
