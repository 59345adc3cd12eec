public import Documents

/// Which documents are replicated, besides what channels and document IDs say.
public struct ReplicationFilterChoice: Hashable, Sendable {
    public enum Function: Hashable, Sendable {
        /// A filter of the server's, such as `app/byYear`; 1.x pulls.
        case named(String)
        /// A JavaScript function that is called here.
        case javaScript(String)
    }

    public var function: Function

    /// What the filter is given.
    public var parameters: [String: JSONValue]

    public init(_ function: Function, parameters: [String: JSONValue] = [:]) {
        self.function = function
        self.parameters = parameters
    }
}
