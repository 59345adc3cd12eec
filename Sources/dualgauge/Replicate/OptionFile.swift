import ArgumentParser
import Foundation

/// Files that options name.
enum OptionFile {
    static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError("\(path) cannot be read; is the path right, and may it be read?")
        }
        return Array(data)
    }
}
