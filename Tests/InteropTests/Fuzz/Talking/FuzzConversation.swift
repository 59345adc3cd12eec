import Foundation
import TestSupport

/// What one client sends in a row, all of it made from the seed and the conversation's number, and what it is told.
struct FuzzConversation {
    let world: FuzzWorld
    let number: Int
    var caller: FuzzCaller
    var maker: Maker

    /// How many requests and messages were sent.
    var sent = 0

    /// How often which status was answered; those of error replies stand as they are.
    var statuses: [Int: Int] = [:]

    init(_ number: Int, in world: FuzzWorld) {
        self.world = world
        self.number = number
        var random = FuzzSettings.random(number)
        // Who is shut out is told the same again and again.
        let callers = random.once(in: 4) ? world.callers : world.callers.filter { !$0.isShutOut }
        caller = random.pick(callers)
        maker = Maker(random: random)
        for remote in world.server.remotes { maker.knowledge.learn(.remote, remote) }
    }

    /// Sends all of it.
    ///
    /// - Returns: What the bridge has done wrong, if anything.
    mutating func play() -> FuzzBreach? {
        do {
            try begin()
            switch maker.random.number(0...9) {
            case 0...5: try playRequests()
            case 6...7: try playMessages()
            case 8: try playWrongMessages()
            default:
                // Where there is no TLS, there is one more feed.
                if let port = world.portOfTLS, maker.random.once(in: 2) { try playHandshakes(port) } else { try playFeed() }
            }
            return nil
        } catch let breach as FuzzFault {
            return FuzzBreach(origin: "ONLY=\(number)", what: breach.what, exchange: breach.exchange)
        } catch {
            return FuzzBreach(origin: "ONLY=\(number)", what: "\(error)")
        }
    }

    mutating func note(_ status: Int) { statuses[status, default: 0] += 1 }

    func connect() throws -> FuzzSocket { try FuzzSocket(port: world.port(caller.port)) }
}

/// What ends a conversation.
struct FuzzFault: Error {
    let what: String
    let exchange: String

    init(_ what: String, sent: [UInt8], answered: String = "") {
        self.what = what
        exchange = "--- sent\n\(FuzzBreach.printable(sent))\n--- answered\n\(answered)"
    }
}
