/// A history with a Sync Gateway's observation of each step, as text:
///
///     history seed=7 dialect=3.2
///     client c1 user=anna feed=blip
///     1 account anna channels=a
///     > 201 ;  ;
///     …
///
/// A file has many recordings, separated by empty lines.
struct Recording {
    let history: History
    let observations: [Observation]

    var text: String {
        let steps = zip(history.steps, observations).map { "\($0.number) \($0.step)\n> \($1)" }
        return (history.lines.dropLast(history.steps.count) + steps).joined(separator: "\n") + "\n"
    }

    init(history: History, observations: [Observation]) {
        self.history = history
        self.observations = observations
    }

    init(parsing text: String) throws {
        let lines = text.split(separator: "\n").map(String.init)
        history = try History(parsing: lines.filter { !$0.hasPrefix(">") })
        observations = try lines.filter { $0.hasPrefix(">") }.map { try Observation(parsing: String($0.dropFirst())) }
        guard observations.count == history.steps.count else { throw HistoryTextError(line: lines.first ?? "") }
    }

    /// All recordings of a file.
    static func all(in text: String) throws -> [Recording] {
        var recordings: [Recording] = []
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) + [""] {
            if !line.isEmpty {
                lines.append(line)
            } else if !lines.isEmpty {
                recordings.append(try Recording(parsing: lines.joined(separator: "\n")))
                lines = []
            }
        }
        return recordings
    }
}
