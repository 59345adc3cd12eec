import Foundation

/// Files that can be run.
enum ExecutableFile {
    static func mark(_ paths: String...) throws {
        for path in paths { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path) }
    }
}
