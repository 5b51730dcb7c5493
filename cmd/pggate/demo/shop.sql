-- The small shop: every row is chosen so that a wrong join shows in the number.
CREATE SCHEMA shop.raw;
CREATE TABLE shop.raw.regions(region_id int PRIMARY KEY, region text);
INSERT INTO shop.raw.regions VALUES (1,'North'),(2,'South'),(3,'East');
CREATE TABLE shop.raw.customers(customer_id int PRIMARY KEY, name text, region_id int, tier text, credit int);
INSERT INTO shop.raw.customers VALUES (1,'Ann',1,'gold',100),(2,'Bob',1,'silver',200),(3,'Cid',2,'gold',400),
 (4,'Dee',NULL,NULL,800),(5,'Eve',2,'silver',1600);
CREATE TABLE shop.raw.orders(order_id int PRIMARY KEY, customer_id int, ordered_at timestamp, shipped_at timestamp,
 status text, freight int);
INSERT INTO shop.raw.orders VALUES
 (101,1,'2024-01-10 09:00','2024-02-01','done',1),  (102,1,'2024-01-20 10:00',NULL,'open',2),
 (103,2,'2024-02-05 12:00','2024-02-07','done',4),  (104,3,'2024-02-29 23:30','2024-03-02','done',8),
 (105,NULL,'2024-03-03 08:00','2024-03-05','done',16),(106,3,'2023-02-28 11:00','2023-03-01','void',32),
 (107,4,'2024-03-31 23:30',NULL,NULL,64),           (108,2,'2023-01-15 00:00','2023-01-16','done',128);
CREATE TABLE shop.raw.items(item_id int PRIMARY KEY, order_id int, product_id text, qty int, amount int);
INSERT INTO shop.raw.items VALUES (1,101,'p1',1,10),(2,101,'p2',2,20),(3,102,'p1',4,40),(4,103,'p3',8,80),
 (5,104,'p1',16,160),(6,104,'p2',32,320),(7,104,'p3',64,640),(8,105,'p2',128,1280),(9,106,'p1',256,2560),
 (10,107,'p3',512,5120),(11,NULL,'p1',1024,10240);
CREATE TABLE shop.raw.payments(payment_id int PRIMARY KEY, order_id int, paid int, method text);
INSERT INTO shop.raw.payments VALUES (1,101,5,'card'),(2,101,25,'cash'),(3,103,80,'card'),(4,104,500,'card'),
 (5,104,600,'wire'),(6,105,1280,'card');
CREATE TABLE shop.raw.products(product_id text PRIMARY KEY, product text, category text, weight int);
INSERT INTO shop.raw.products VALUES ('p1','Pen','office',1),('p2','Ink','office',2),('p3','Rug','home',4),('p4','Lamp','home',8);
CREATE TABLE shop.raw.product_tags(product_id text, tag text, PRIMARY KEY(product_id, tag));
INSERT INTO shop.raw.product_tags VALUES ('p1','eco'),('p1','new'),('p2','eco'),('p3','new'),('p3','sale');
CREATE TABLE shop.raw.balances(account_id text, customer_id int, as_of date, balance int, PRIMARY KEY(account_id, as_of));
INSERT INTO shop.raw.balances VALUES ('a1',1,'2024-01-31',1),('a1',1,'2024-02-29',2),('a1',1,'2024-03-31',4),
 ('a2',1,'2024-01-31',8),('a2',1,'2024-02-29',16),('a3',3,'2024-02-29',32),('a3',3,'2024-03-31',64),
 ('a4',4,'2024-01-31',128);
CREATE TABLE shop.raw.visits(visit_id int PRIMARY KEY, customer_id int, visited_at timestamp, source text);
INSERT INTO shop.raw.visits VALUES (1,1,'2024-01-01','ad'),(2,1,'2024-01-09','mail'),(3,2,'2024-02-01','ad'),
 (4,3,'2024-02-20','mail'),(5,5,'2024-03-01','ad');
CREATE TABLE shop.raw.targets(region text, quarter text, goal int);
INSERT INTO shop.raw.targets VALUES ('North','q1',10),('North','q2',20),('South','q1',40);
