CREATE SCHEMA sales;
CREATE TABLE sales.orders (
    order_id integer, customer_id integer, small smallint, qty bigint, amount numeric(12,2), price double precision,
    ordered_on date, placed_at timestamp, paid_at timestamptz, at_time time, gap interval, status text, note varchar(20), done boolean);
INSERT INTO sales.orders VALUES
    (1, 1, 1, 2, 9.99, 0.1, '2024-03-01', '2024-03-01 10:00:00', '2024-03-01 10:00:00+00', '10:00:00', '1 day', 'new', 'first one', true),
    (2, 2, 2, 1, 19.50, 2.5, '2024-03-02', '2024-03-02 11:30:15.25', '2024-03-02 12:00:00+00', '11:30:15', '2 hours', 'open', 'a_b%c\d', false),
    (3, 1, 3, 5, 100.00, -1.5, '2023-12-31', NULL, NULL, NULL, NULL, 'done', NULL, NULL),
    (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE sales.tags (order_id integer, labels text[], numbers integer[], doc json);
INSERT INTO sales.tags VALUES
    (1, ARRAY['a', 'b c', NULL], ARRAY[3, 1, 2], '{"a": {"b": [1, 2, {"c": "x"}]}, "n": 5, "z": null}'),
    (2, ARRAY['x'], ARRAY[7], '[1, "two", null]'),
    (3, NULL, NULL, NULL);
