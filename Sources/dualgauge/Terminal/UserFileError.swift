/// A file that a command was to read or write for its user, and could not.
struct UserFileError: Error {
    let message: String
}
