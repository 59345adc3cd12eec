#if DEBUG
    import Foundation
    import Supervision

    /// Ends the process by a trap, as a fault of ours would; in debug builds only.
    ///
    /// By it one sees what becomes of clients, documents and the log then.
    enum Trap {
        /// `POST /_trap` of the admin port.
        static let path = "_trap"

        /// The variable that names a part of the start, `database shop` for example, which ends the process then.
        private static let variable = "DUALGAUGE_TRAP"

        static func spring() {
            let nothing: [Int] = []
            // Beyond the end, on purpose.
            withExtendedLifetime(nothing[nothing.count]) {}
        }

        static func spring(at part: StartPart) {
            if ProcessInfo.processInfo.environment[variable] == part.description { spring() }
        }
    }
#endif
