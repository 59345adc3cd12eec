/// A file that a command was to write and could not.
struct NewFileError: Error {
    let message: String
}
