package import Documents

/// When moved devices are worse off than those that are passed on, so that a change of the rules for devices is halted or taken back.
package struct GuardRules: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// Go back to the rules before the change, as soon as the gates for going back permit it.
        case back
        /// Move no more devices until an operator allows it.
        case halt
    }

    /// The fewest failures that count as a rate. A single device may have an error of its own.
    package static let minimumFailures = 3

    /// The share of failures by which moved devices may exceed the others; `nil` if it is not checked.
    package var errorRate: Share?

    /// The number of conflicts of moved devices at which the guard acts, if their share is also larger than that of the others.
    package var conflicts: Int?

    /// The number of further parked revisions at which the guard acts.
    package var parked: Int?

    /// The observed time, in seconds, at most ``GroupWindow/span``. The time before the last change of the rules does not count.
    package var window: Int64 = 600
    package var action = Action.back

    package init() {}

    /// Why the guard acts; `nil` if moved devices are not worse off.
    ///
    /// - Parameters:
    ///   - moved: The figures of the moved devices.
    ///   - others: The figures of the devices that are passed on.
    ///   - parked: The number of revisions parked within the time.
    package func finding(moved: GroupFigures, others: GroupFigures, parked: Int) -> String? {
        if let errorRate, moved.failures >= Self.minimumFailures, moved.failureRate >= others.failureRate + errorRate.percent / 100 {
            return """
                moved devices had \(moved.failures) errors, \(Self.percent(moved.failureRate)) of their requests and documents, the others \
                \(Self.percent(others.failureRate)); the limit is \(errorRate.text) % more
                """
        }
        if let conflicts, moved.conflicts >= conflicts, moved.conflictRate > others.conflictRate {
            return "moved devices had \(moved.conflicts) conflicts; the limit is \(conflicts)"
        }
        if let limit = self.parked, parked >= limit {
            return "\(parked) more revisions were parked; the limit is \(limit)"
        }
        return nil
    }

    /// The rules with the keys of the configuration. A rate is a percentage.
    package var json: JSONValue {
        func number(_ number: Int?) -> JSONValue { number.map { .number(String($0)) } ?? .null }
        return .object([
            JSONMember("errorRate", errorRate.map { .number($0.text) } ?? .null),
            JSONMember("conflicts", number(conflicts)), JSONMember("parked", number(parked)),
            JSONMember("window", number(Int(window))), JSONMember("action", .string(action.rawValue)),
        ])
    }

    /// A share as a percentage of at most one decimal.
    package static func percent(_ share: Double) -> String {
        let tenths = Int((share * 1_000).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }
}

extension GroupFigures {
    /// The share of conflicts in all written documents, 0 to 1.
    fileprivate var conflictRate: Double {
        let written = received + refused + conflicts
        return written == 0 ? 0 : Double(conflicts) / Double(written)
    }
}
