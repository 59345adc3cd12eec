import Storage

/// A failure that the server reports.
struct ServerFailure {
    /// The failure as callers get it.
    let error: StorageError

    /// Whether the same transaction may succeed if it is run again: a deadlock, or a serialization failure.
    let isTransient: Bool

    init(_ error: StorageError, isTransient: Bool = false) {
        self.error = error
        self.isTransient = isTransient
    }

    /// - Parameters:
    ///   - result: The result of a failed statement.
    ///   - address: The server.
    init(_ result: PostgreSQLResult, at address: PostgreSQLAddress) {
        let state = result.error(UInt8(ascii: "C")) ?? ""
        let message = result.error(UInt8(ascii: "M")) ?? "no message"
        self.init(
            StorageError(state: state, detail: address.redacted(message), at: address), isTransient: state == "40001" || state == "40P01")
    }
}

extension StorageError {
    /// The failure for a code of PostgreSQL ("PostgreSQL Error Codes" in its manual).
    ///
    /// - Parameters:
    ///   - state: The five characters of `SQLSTATE`.
    ///   - detail: The server's message.
    ///   - address: The server.
    init(state: String, detail: String, at address: PostgreSQLAddress) {
        let (place, detail) = (address.description, "\(detail), code \(state)")
        switch state {
        case "53100":
            self.init(.full, "\(place): the server's disk is full (\(detail)). This write was undone. Free some space there and try again.")
        case "25006":
            self.init(
                .readOnly, "\(place): the server is a standby or read-only (\(detail)). Name the primary, or all hosts, in the address.")
        case "42501":
            self.init(.readOnly, "\(place): the user lacks a right (\(detail)). Grant it the right to use and create in the schema.")
        case "3D000":
            self.init(.notFound, "\(place): there is no such database (\(detail)). Check the address, or create the database.")
        case "28000", "28P01":
            self.init(.inputOutput, "\(place): the server refuses the login (\(detail)). Check the user, the password and pg_hba.conf.")
        case "25P03":
            self.init(.inputOutput, "\(place): the transaction was idle for too long (\(detail)), so the server has ended it. Try again.")
        case "42P01", "3F000":
            self.init(
                .inputOutput,
                "\(place): the store's tables are missing (\(detail)). Another process is replacing the store, or has removed it: restore a backup."
            )
        case "42P06", "42P07":
            self.init(.conflict, "\(place): another process has created the same schema or table (\(detail)). Try again.")
        case "55P03", "57014":
            self.init(.busy, "\(place): a statement waited or ran for too long (\(detail)). Try again; look for long transactions there.")
        case "40001", "40P01":
            self.init(.busy, "\(place): other transactions keep interfering (\(detail)). Try again.")
        case "XX001", "XX002":
            self.init(.corrupt, "\(place): the database is damaged (\(detail)). See the server's log, and restore a backup.")
        default:
            self.init(class: state.prefix(2), detail: detail, place: place)
        }
    }

    /// The failure for a class of codes.
    private init(class group: Substring, detail: String, place: String) {
        switch group {
        case "08", "57", "58":
            self.init(.inputOutput, "\(place): the connection failed (\(detail)). Check that the server runs.")
        case "53":
            self.init(.busy, "\(place): the server lacks memory or connections (\(detail)). Raise its limits or use fewer readers.")
        case "22", "54":
            self.init(.invalidArgument, "\(place): a value is too large or cannot be stored (\(detail)).")
        case "23":
            self.init(.conflict, "\(place): the new data contradicts the stored data (\(detail)).")
        default:
            self.init(.unexpected, "\(place): PostgreSQL refused (\(detail)). This is a fault of the program; please report it.")
        }
    }

    /// The failure of a connection that was open.
    init(lost detail: String, at address: PostgreSQLAddress) {
        self.init(.inputOutput, "\(address.description): the connection failed (\(address.redacted(detail))). Check that the server runs.")
    }

    /// The failure to connect.
    ///
    /// - Parameter needsPassword: Whether the server asked for a password, and there was none.
    init(refused detail: String, needsPassword: Bool, at address: PostgreSQLAddress) {
        let remedy =
            needsPassword
            ? "Give the password in PGPASSWORD, in a file that `passfile` names in the address, or in ~/.pgpass."
            : "Check the address, the user and the password, and that the server runs."
        self.init(.inputOutput, "\(address.description): cannot connect (\(address.redacted(detail))). \(remedy)")
    }
}
