"""Connects with psycopg 3, asks in every way it has, and prints what it gets."""
import sys
import psycopg

host, port = sys.argv[1:3]
with psycopg.connect(host=host, port=port, user="ann", dbname="shop") as c:
    cur = c.execute("SELECT region, revenue FROM orders GROUP BY 1 ORDER BY 1")
    print([d.name for d in cur.description], cur.fetchall())
    cur = c.execute("SELECT MEASURE(order_count) FROM orders WHERE status = %s AND freight < %s", ("done", 10))
    print(cur.fetchone())
    cur = c.cursor(binary=True)
    print(cur.execute("SELECT order_id, ordered_at, freight FROM orders ORDER BY 1 LIMIT 1").fetchone())
    with c.pipeline():
        a = c.execute("SELECT 1")
        b = c.execute("SELECT name FROM customers ORDER BY 1 LIMIT 2")
    print(a.fetchone(), b.fetchall())
    for _ in range(8):  # prepared by the driver after five times
        n = c.execute("SELECT count(*) FROM orders WHERE freight >= %s", (4,)).fetchone()
    print(n)
    try:
        c.execute("SELECT revenu FROM orders")
    except psycopg.errors.UndefinedColumn as e:
        print(e.sqlstate, e.diag.message_primary, e.diag.message_hint, e.diag.statement_position)
    c.rollback()
    print(c.execute("SELECT current_database(), current_user").fetchone())
