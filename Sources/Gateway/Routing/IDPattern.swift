import Foundation
import Scripting

/// The regular expression of a route, with a bound on the time that an ID can make it take.
///
/// Expressions are tried by backtracking: some, such as `^([a-z]+-?)+$`, take a time that doubles with each letter of an ID that does not match. Clients
/// choose IDs, and other writes wait meanwhile.
struct IDPattern: Sendable {
    /// Processor time of the thread that an ID may take: other threads do not count. IDs of ordinary length take microseconds. A long ID
    /// has time for each of its places.
    private static func patience(for id: String) -> Duration { .milliseconds(2) + .microseconds(2) * id.utf16.count }

    private let expression: NSRegularExpression

    /// - Throws: what is wrong with the expression.
    init(_ pattern: String) throws {
        expression = try NSRegularExpression(pattern: pattern)
    }

    /// Whether the expression is found in an ID. One that takes too long is not found.
    func isFound(in id: String) -> Bool {
        var isFound = false
        var reports = 0
        let (start, patience) = (ThreadClock.now, Self.patience(for: id))
        expression.enumerateMatches(in: id, options: .reportProgress, range: NSRange(id.startIndex..., in: id)) { match, _, stop in
            // The matcher reports every 10,000 steps, and after each place of the ID at which it has tried.
            isFound = match != nil
            reports += 1
            // To ask for the time takes longer than most places.
            if isFound || reports.isMultiple(of: 16) && ThreadClock.now - start > patience { stop.pointee = true }
        }
        return isFound
    }
}
