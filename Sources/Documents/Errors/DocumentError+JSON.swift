extension DocumentError {
    /// The error of a text that is not the JSON it should be.
    public init(_ error: JSONError) {
        switch error.code {
        case .duplicateKey: self.init(.duplicateKey, "Bad JSON: \(error.reason)", cause: error)
        case .tooDeep: self.init(.tooDeep, "Bad JSON: \(error.reason)", cause: error)
        default: self.init(.badJSON, "Bad JSON: \(error.reason)", cause: error)
        }
    }

    /// Runs something that reads JSON, and gives its JSON errors as errors of the document.
    static func reading<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as JSONError {
            throw DocumentError(error)
        }
    }
}
