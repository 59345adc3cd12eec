/// Documents of which all is known that can be known before they are written; and those that are refused by then.
public struct PlannedImport: Sendable {
    var plans: [Result<ImportPlan, GatewayError>]

    init(plans: [Result<ImportPlan, GatewayError>]) {
        self.plans = plans
    }

    /// Nothing.
    public init() {
        plans = []
    }
}
