import HTTPTypes
import Storage

extension AdminRoute {
    /// Everything that the server itself serves behind a database's name.
    static let table: [AdminRoute] =
        [
            AdminRoute([.get, .head], [.exactly("_session")], at: [.public, .admin], LoginEndpoint.describe),
            AdminRoute([.post], [.exactly("_session")], at: [.public], LoginEndpoint.login),
            AdminRoute([.delete], [.exactly("_session")], at: [.public], LoginEndpoint.logout),
            AdminRoute([.post], [.exactly("_session")], at: [.admin], SessionEndpoint.create),
            AdminRoute([.get, .head], [.exactly("_session"), .any], at: [.admin], SessionEndpoint.get),
            AdminRoute([.delete], [.exactly("_session"), .any], at: [.admin], SessionEndpoint.delete),
            AdminRoute([.get, .head], [.exactly("_user")], at: [.admin], AccountEndpoint.listUsers),
            AdminRoute([.post], [.exactly("_user")], at: [.admin], AccountEndpoint.post(.user)),
            AdminRoute([.get, .head], [.exactly("_user"), .any], at: [.admin], AccountEndpoint.get(.user)),
            AdminRoute([.put], [.exactly("_user"), .any], at: [.admin], AccountEndpoint.put(.user)),
            AdminRoute([.delete], [.exactly("_user"), .any], at: [.admin], AccountEndpoint.delete(.user)),
            AdminRoute([.delete], [.exactly("_user"), .any, .exactly("_session")], at: [.admin], SessionEndpoint.deleteAll),
            AdminRoute([.delete], [.exactly("_user"), .any, .exactly("_session"), .any], at: [.admin], SessionEndpoint.deleteOfUser),
            AdminRoute([.get, .head], [.exactly("_role")], at: [.admin], AccountEndpoint.listRoles),
            AdminRoute([.post], [.exactly("_role")], at: [.admin], AccountEndpoint.post(.role)),
            AdminRoute([.get, .head], [.exactly("_role"), .any], at: [.admin], AccountEndpoint.get(.role)),
            AdminRoute([.put], [.exactly("_role"), .any], at: [.admin], AccountEndpoint.put(.role)),
            AdminRoute([.delete], [.exactly("_role"), .any], at: [.admin], AccountEndpoint.delete(.role)),
            AdminRoute([.get, .head], [.exactly("_fleet")], at: [.admin], FleetEndpoint.get),
            AdminRoute([.get, .head], [.exactly("_explain"), .any], at: [.admin], ExplanationEndpoint.get),
        ] + replications + parking
}
