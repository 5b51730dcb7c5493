import java.sql.*;
import java.util.Properties;

/** Connects with pgjdbc, reads metadata and rows as applications do, and prints what it gets. */
public class JdbcCheck {
    public static void main(String[] args) throws Exception {
        Properties p = new Properties();
        p.setProperty("user", "ann");
        try (Connection c = DriverManager.getConnection("jdbc:postgresql://" + args[0] + ":" + args[1] + "/shop", p)) {
            DatabaseMetaData m = c.getMetaData();
            System.out.println(m.getDatabaseProductName() + " " + m.getDatabaseProductVersion());
            try (ResultSet r = m.getTables(null, "shop", "o%", new String[] {"TABLE", "VIEW"})) {
                while (r.next()) System.out.println(r.getString("TABLE_SCHEM") + "." + r.getString("TABLE_NAME") + " " + r.getString("TABLE_TYPE"));
            }
            try (ResultSet r = m.getColumns(null, "shop", "orders", "%re%")) {
                while (r.next()) System.out.println(r.getString("COLUMN_NAME") + " " + r.getString("TYPE_NAME") + " " + r.getString("IS_GENERATEDCOLUMN") + " " + r.getString("REMARKS"));
            }
            try (ResultSet r = m.getPrimaryKeys(null, "shop", "orders")) {
                while (r.next()) System.out.println("key " + r.getString("COLUMN_NAME"));
            }
            try (PreparedStatement s = c.prepareStatement("SELECT region, MEASURE(revenue) AS revenue FROM orders WHERE freight < ? GROUP BY 1 ORDER BY 1")) {
                for (int i = 0; i < 7; i++) { // binary after five executions
                    s.setInt(1, 100);
                    try (ResultSet r = s.executeQuery()) {
                        StringBuilder b = new StringBuilder();
                        while (r.next()) b.append(r.getString(1)).append('=').append(r.getBigDecimal(2)).append(' ');
                        if (i == 0 || i == 6) System.out.println(b.toString().trim());
                    }
                }
            }
            c.setAutoCommit(false);
            try (Statement a = c.createStatement(); Statement b = c.createStatement()) {
                a.setFetchSize(50);
                b.setFetchSize(70);
                try (ResultSet x = a.executeQuery("SELECT order_id FROM raw_year.orders ORDER BY 1 LIMIT 1000"); ResultSet y = b.executeQuery("SELECT item_id FROM raw_year.items ORDER BY 1 LIMIT 1000")) {
                    long sum = 0;
                    int n = 0;
                    while (x.next() && y.next()) {
                        sum += x.getLong(1) + y.getLong(1);
                        n++;
                    }
                    System.out.println(n + " pairs " + sum);
                }
            }
            c.commit();
            c.setAutoCommit(true);
            try (Statement s = c.createStatement()) {
                s.executeQuery("SELECT revenu FROM orders");
            } catch (SQLException e) {
                System.out.println(e.getSQLState() + " " + e.getMessage().split("\n")[0]);
            }
            try (Statement s = c.createStatement()) {
                s.setQueryTimeout(1);
                s.executeQuery("SELECT count(*) FROM raw_year.items a, raw_year.items b WHERE a.amount + b.amount = 3");
            } catch (SQLException e) {
                System.out.println(e.getSQLState());
            }
        }
    }
}
