/// Why a replication cannot be carried out as it was described.
public struct ReplicationSetupError: Error, Hashable, Sendable, CustomStringConvertible {
    public struct Code: Hashable, Sendable {
        let name: String

        /// The remote's address is none.
        public static let address = Code(name: "address")
        /// A setting that the remote's protocol does not have, or two that contradict each other.
        public static let combination = Code(name: "combination")
        /// A collection that the database does not have.
        public static let collection = Code(name: "collection")
    }

    public let code: Code

    /// What is wrong, and what to write instead.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
