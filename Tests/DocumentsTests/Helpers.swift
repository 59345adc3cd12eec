import Documents

/// The ID of a well-formed text.
func revision(_ text: String) throws -> RevisionID {
    guard let id = RevisionID(text) else { throw DocumentError(.badRevisionID, text) }
    return id
}

func revisions(_ texts: String...) throws -> [RevisionID] {
    try texts.map { try revision($0) }
}

func bytes(_ text: String) -> [UInt8] {
    Array(text.utf8)
}

func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Array(bytes), as: UTF8.self)
}

/// The code of the error that a closure throws; nil if it throws none.
func code(_ body: () throws -> Void) -> DocumentError.Code? {
    do {
        try body()
        return nil
    } catch let error as DocumentError {
        return error.code
    } catch {
        return nil
    }
}
