import Foundation
import Scripting

/// The regular expression of a route, with a time limit for each ID.
///
/// The matcher uses backtracking: for some expressions, such as `^([a-z]+-?)+$`, the time doubles with each letter of an ID that does not match.
/// Clients choose IDs, and other writes wait meanwhile.
struct IDPattern: Sendable {
    /// The limit of the thread's processor time for an ID; other threads do not count. IDs of ordinary length take microseconds. The limit grows
    /// with the length of the ID.
    private static func timeLimit(for id: String) -> Duration { .milliseconds(2) + .microseconds(2) * id.utf16.count }

    private let expression: NSRegularExpression

    /// - Throws: the error in the expression.
    init(_ pattern: String) throws {
        expression = try NSRegularExpression(pattern: pattern)
    }

    /// Whether the expression matches in an ID. A match that exceeds the time limit counts as no match.
    func isFound(in id: String) -> Bool {
        var isFound = false
        var reports = 0
        let (start, limit) = (ThreadClock.now, Self.timeLimit(for: id))
        expression.enumerateMatches(in: id, options: .reportProgress, range: NSRange(id.startIndex..., in: id)) { match, _, stop in
            // The matcher calls back every 10,000 steps, and after each position of the ID.
            isFound = match != nil
            reports += 1
            // Reading the clock takes longer than most positions.
            if isFound || reports.isMultiple(of: 16) && ThreadClock.now - start > limit { stop.pointee = true }
        }
        return isFound
    }
}
