import Documents
import Foundation

/// Whether an attachment is worth compressing on its way: Sync Gateway's rule (docs/protocol/modern-2x.md#compression-hint).
enum CompressionHint {
    private static let packedExtensions: Set<String> = [
        "zip", "gz", "tgz", "rar", "7z", "jpg", "jpeg", "png", "gif", "svgz", "mp3", "m4a", "ogg", "wav", "aiff", "mp4", "mov", "avi",
        "theora",
    ]

    static func isWorthwhile(_ entry: AttachmentMetadata) -> Bool {
        guard entry.encoding == nil else { return false }
        let name = entry.name.lowercased()
        if let dot = name.lastIndex(of: "."), packedExtensions.contains(String(name[name.index(after: dot)...])) { return false }
        guard let type = entry.contentType?.lowercased() else { return true }
        let words = type.split { !$0.isLetter && !$0.isNumber }
        if words.contains("zip") || words.contains("gzip") { return false }
        let isMedia = ["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
        return !isMedia || words.contains { ["text", "xml", "html", "json", "yaml"].contains($0) }
    }
}
