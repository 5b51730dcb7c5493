-- A year of the same shape, made from numbers alone, so that it is the same on
-- every machine. hash() of DuckDB is stable within a version; arithmetic is in
-- all of them, hence the multiplications by primes.
CREATE SCHEMA shop.raw_year;
CREATE TABLE shop.raw_year.regions AS
  SELECT i::INT AS region_id, ['North','South','East','West','Centre','Coast','Lakes','Hills'][i] AS region FROM range(1, 9) t(i);
CREATE TABLE shop.raw_year.customers AS
  SELECT i::INT AS customer_id, 'Customer ' || i AS name,
    CASE WHEN i % 97 = 0 THEN NULL ELSE (1 + i * 7919 % 7)::INT END AS region_id,
    CASE i * 104729 % 10 WHEN 0 THEN 'gold' WHEN 1 THEN 'gold' WHEN 2 THEN 'silver' WHEN 3 THEN 'silver' WHEN 4 THEN 'silver' WHEN 9 THEN NULL ELSE 'basic' END AS tier,
    (i * 31 % 50 * 100)::INT AS credit
  FROM range(1, 20001) t(i);
CREATE TABLE shop.raw_year.products AS
  SELECT 'p' || i AS product_id, 'Product ' || i AS product, ['office','home','garden','kitchen','travel'][1 + i % 5] AS category, (1 + i * 13 % 40)::INT AS weight
  FROM range(1, 501) t(i);
CREATE TABLE shop.raw_year.product_tags AS
  SELECT DISTINCT 'p' || i AS product_id, ['eco','new','sale','gift','bulk'][1 + (i * k * 17) % 5] AS tag FROM range(1, 501) t(i), range(1, 4) u(k) WHERE (i + k) % 4 > 0;
CREATE TABLE shop.raw_year.orders AS
  SELECT i::INT AS order_id,
    CASE WHEN i % 211 = 0 THEN NULL ELSE (1 + (i::BIGINT * 7919) % 20000)::INT END AS customer_id,
    TIMESTAMP '2025-01-01' + INTERVAL (((i::BIGINT * 104729) % 525600)::INT) MINUTE AS ordered_at,
    CASE WHEN i % 13 = 0 THEN NULL ELSE TIMESTAMP '2025-01-01' + INTERVAL (((i::BIGINT * 104729) % 525600)::INT + (1 + i % 9) * 1440) MINUTE END AS shipped_at,
    CASE i % 20 WHEN 0 THEN 'void' WHEN 1 THEN 'open' WHEN 2 THEN 'open' WHEN 19 THEN NULL ELSE 'done' END AS status,
    (1 + i % 40)::INT AS freight
  FROM range(1, 200001) t(i);
CREATE TABLE shop.raw_year.items AS
  SELECT i::INT AS item_id, CASE WHEN i % 503 = 0 THEN NULL ELSE (1 + (i::BIGINT * 7927) % 200000)::INT END AS order_id,
    'p' || (1 + (i::BIGINT * 7919) % 480) AS product_id, (1 + i % 5)::INT AS qty, ((1 + i % 5) * (5 + (i * 37) % 200))::INT AS amount
  FROM range(1, 600001) t(i);
CREATE TABLE shop.raw_year.payments AS
  SELECT i::INT AS payment_id, (1 + (i::BIGINT * 7933) % 200000)::INT AS order_id, (10 + (i * 41) % 700)::INT AS paid, ['card','cash','wire'][1 + i % 3] AS method
  FROM range(1, 240001) t(i);
CREATE TABLE shop.raw_year.balances AS
  SELECT 'a' || c AS account_id, c::INT AS customer_id, last_day(make_date(2025, m::INT, 1)) AS as_of, ((c * m * 17) % 5000)::INT AS balance
  FROM range(1, 5001) t(c), range(1, 13) u(m);
CREATE TABLE shop.raw_year.visits AS
  SELECT i::INT AS visit_id, (1 + (i::BIGINT * 7907) % 20000)::INT AS customer_id, TIMESTAMP '2025-01-01' + INTERVAL (((i::BIGINT * 99991) % 525600)::INT) MINUTE AS visited_at, ['ad','mail','search','direct'][1 + i % 4] AS source
  FROM range(1, 300001) t(i);
