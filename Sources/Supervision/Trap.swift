#if DEBUG
    import Foundation

    /// Ends the process by a trap, as a fault of the program would; in debug builds only.
    ///
    /// It shows what becomes of clients, documents and the log then.
    package enum Trap {
        /// The variable that names a file. The part of the start whose description the file holds, `database shop` for example, ends the
        /// process.
        private static let variable = "DUALGAUGE_TRAP"

        package static func spring() {
            let nothing: [Int] = []
            // Beyond the end, on purpose.
            withExtendedLifetime(nothing[nothing.count]) {}
        }

        static func spring(at part: StartPart) {
            guard let file = ProcessInfo.processInfo.environment[variable] else { return }
            if (try? String(contentsOfFile: file, encoding: .utf8)) == part.description { spring() }
        }
    }
#endif
