// Connects with node-postgres, asks in both protocols, and prints what it gets.
const { Client } = require("pg");

async function main() {
  const [host, port] = process.argv.slice(2);
  const client = new Client({ host, port: Number(port), user: "ann", database: "shop" });
  await client.connect();
  const rows = await client.query("SELECT region, revenue FROM orders GROUP BY 1 ORDER BY 1");
  console.log(JSON.stringify(rows.rows), rows.fields.map((f) => f.name + ":" + f.dataTypeID).join(" "));
  const one = await client.query("SELECT MEASURE(order_count) AS n FROM orders WHERE status = $1 AND freight < $2", ["done", 10]);
  console.log(JSON.stringify(one.rows));
  for (let i = 0; i < 3; i++) {
    const named = await client.query({ name: "q", text: "SELECT name FROM customers WHERE customer_id = $1", values: [i + 1] });
    console.log(named.rows[0].name);
  }
  try {
    await client.query("SELECT revenu FROM orders");
  } catch (e) {
    console.log(e.code, e.message, "|", e.hint, "|", e.position);
  }
  await client.end();
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});
