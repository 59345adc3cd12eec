import Logging

extension Database {
    /// Says in the log that a client of its generation has come for the first time since the start.
    ///
    /// - Parameter client: who asks for its checkpoint, which all clients do first.
    public func greet(_ client: ClientKind) {
        guard client.generation > 0, greetings.isFirst(ofGeneration: client.generation, at: name) else { return }
        logger.info(
            "the first client of its generation since the start",
            metadata: ["generation": "\(client.generation)", "client": "\(client.agent)"])
    }
}
