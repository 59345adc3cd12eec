/// A backup of a schema by PostgreSQL's own means, and its restore in place.
enum SchemaCopying {
    /// Copies all tables of a schema at one moment.
    static func backup(of schema: String, as copy: String) -> String {
        """
        BEGIN ISOLATION LEVEL REPEATABLE READ;
        SET LOCAL client_min_messages = error;
        DROP SCHEMA IF EXISTS "\(copy)" CASCADE;
        CREATE SCHEMA "\(copy)";
        \(each(schema, "EXECUTE format('CREATE TABLE \"\(copy)\".%I AS TABLE \"\(schema)\".%I', name, name);"))
        COMMIT
        """
    }

    /// Replaces the rows of all tables by those of a copy, and lets the keys go on behind them.
    static func restore(of schema: String, from copy: String) -> String {
        """
        BEGIN;
        \(each(schema, """
            EXECUTE format('DELETE FROM "\(schema)".%I', name);
            EXECUTE format('INSERT INTO "\(schema)".%I SELECT * FROM "\(copy)".%I', name, name);
            FOR identity IN SELECT attname FROM pg_attribute
              WHERE attrelid = format('"\(schema)".%I', name)::regclass AND attidentity <> '' LOOP
              EXECUTE format('SELECT setval(pg_get_serial_sequence(''"\(schema)".%I'', %L), coalesce(max(%I), 0) + 1, false) FROM "\(schema)".%I',
                name, identity, identity, name);
            END LOOP;
            """))
        COMMIT
        """
    }

    /// A block that runs statements for the `name` of each table.
    private static func each(_ schema: String, _ statements: String) -> String {
        """
        DO $$
        DECLARE
          name name;
          identity name;
        BEGIN
          FOR name IN SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = '"\(schema)"'::regnamespace LOOP
            \(statements)
          END LOOP;
        END $$;
        """
    }
}
